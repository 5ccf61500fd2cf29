"""Reads PDFs: pages with whole sentences, each under the headings that it stands below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.chunking.sentences import sentences
from retrieval.reading.pdf_blocks import Printing, Shape, blocks_of, item_text
from retrieval.reading.pdf_furniture import body_size, without_furniture
from retrieval.reading.pdf_lines import read_lines
from retrieval.reading.pdf_words import Vocabulary
from retrieval.reading.reading import Reading
from retrieval.reading.writing import document, heading, items_joined, paragraph, tables
from retrieval.types import Page, Pages

_LONGEST_TITLE = 120
"""Characters."""
_NO_TITLE = re.compile(
    r"(?i)^(?:microsoft \w+ - .*|\(?(?:anonymous|unspecified|untitled).*|document\d*|.*\.\w{2,4}|[\W\d_]*)$"
)
"""What programs write where nobody gave a title."""
_LONGEST_LABEL = 8
"""Words."""
_ENDS = (".", "!", "?", ":", "。", "！", "？", '."', ".”", ".)")
_LONGEST_LEAD = 30
"""Words of a paragraph that leads into a list."""


def read_pdf(path: Path) -> Reading:
    """Its pages with words.

    Raises:
        UnreadableSource: it is no PDF, or protected, or too large.
    """
    printed = read_lines(path)
    sheets = without_furniture(printed.sheets)
    body = body_size(sheets)
    blocks = [block for sheet in sheets for block in blocks_of(sheet, body)]
    vocabulary = Vocabulary(line.text for sheet in sheets for line in sheet.lines)
    worded = [_worded(block, vocabulary) for block in blocks]
    title, told = _titled(printed.title, _labelled(worded))
    return Reading(Pages(tuple(_pages(_levelled(_whole(told))))), title)


def _worded(block: Printing, vocabulary: Vocabulary) -> Printing:
    rows = tuple(tuple(vocabulary.joined(cell) for cell in row) for row in block.rows)
    return replace(block, text=vocabulary.joined(block.text), rows=rows)


@dataclass(frozen=True, slots=True)
class _Levelled:
    """A block with the depth of its heading, 0 for all else."""

    block: Printing
    level: int


def _titled(given: str, blocks: list[Printing]) -> tuple[str, list[Printing]]:
    """The title, and the blocks with a title page as words rather than headings."""
    given = " ".join(given.split())
    first = [block for block in blocks if block.page == blocks[0].page] if blocks else []
    is_cover = bool(first) and all(block.shape is Shape.HEADING for block in first)
    largest = max((block.size for block in blocks if block.shape is Shape.HEADING), default=0.0)
    opening = first if is_cover else [block for block in first[:1] if block.size == largest]
    found = " ".join(block.text for block in opening)
    if is_cover:
        blocks = [replace(block, shape=Shape.PARAGRAPH) for block in first] + blocks[len(first) :]
    title = given if given and not _NO_TITLE.match(given) else found
    return title if len(title) <= _LONGEST_TITLE else "", blocks


def _labelled(blocks: Sequence[Printing]) -> list[Printing]:
    """Blocks, short lines in capitals that stand alone above a paragraph as its labels."""
    found: list[Printing] = []
    for at, block in enumerate(blocks):
        following = blocks[at + 1] if at + 1 < len(blocks) else None
        is_label = following is not None and _looks_like_heading(block) and _may_head(block, following)
        found.append(replace(block, shape=Shape.LABEL) if is_label else block)
    return found


def _looks_like_heading(block: Printing) -> bool:
    words = block.text.rstrip(":").split()
    if block.shape is not Shape.PARAGRAPH or not block.is_single or not 0 < len(words) <= _LONGEST_LABEL:
        return False
    long = [word for word in words if len(word) > 3 and word[0].isalpha()]
    is_name = bool(long) and all(word[0].isupper() for word in long)
    return is_name and block.text[-1] not in ".,;!?" and ":" not in block.text[:-1]


def _may_head(block: Printing, following: Printing) -> bool:
    """What ends in a colon leads into a list, and a paragraph stands under all else."""
    if following.shape is Shape.ITEM:
        return not block.text.endswith(":")
    return following.shape is Shape.PARAGRAPH and len(following.text.split()) > _LONGEST_LABEL


def _whole(blocks: Sequence[Printing]) -> list[Printing]:
    """Blocks whose sentences are whole: one that runs over the end of a page stands where more of it is."""
    whole: list[Printing] = []
    for block in blocks:
        before = whole[-1] if whole else None
        if before is None or not _continues(before, block):
            whole.append(block)
        elif before.page == block.page:
            whole[-1] = replace(before, text=f"{before.text} {block.text}", is_single=False)
        else:
            upper, lower = _parted(before.text, block.text)
            whole.pop()
            whole += [replace(one, text=text) for one, text in ((before, upper), (block, lower)) if text]
    return whole


def _continues(before: Printing, block: Printing) -> bool:
    if block.shape is not Shape.PARAGRAPH or before.shape not in (Shape.PARAGRAPH, Shape.ITEM):
        return False
    if before.text.endswith(_ENDS) or before.size != block.size:
        return False
    return block.text[:1].islower() or (before.page != block.page and not before.is_single)


def _parted(upper: str, lower: str) -> tuple[str, str]:
    """The words of two pages, the sentence between them where more of it stands."""
    text = f"{upper} {lower}"
    for start, end in sentences(text):
        if start < len(upper) < end:
            at = end if len(upper) - start >= end - len(upper) - 1 else start
            return text[:at].strip(), text[at:].strip()
    return upper, lower


def _levelled(blocks: Sequence[Printing]) -> list[_Levelled]:
    """Headings ranked by how they are set, the largest first."""
    styles = sorted({_style(block) for block in blocks if block.shape is Shape.HEADING}, reverse=True)
    ranks = {style: rank for rank, style in enumerate(styles, start=1)}
    return [_Levelled(block, ranks[_style(block)] if block.shape is Shape.HEADING else 0) for block in blocks]


def _style(block: Printing) -> tuple[float, bool]:
    return round(block.size), block.is_bold


def _pages(blocks: Sequence[_Levelled]) -> Iterator[Page]:
    """Each page's Markdown; what stands over from the page before it is said again."""
    above: list[_Levelled] = []
    before: list[_Levelled] = []
    by_page: dict[int, list[_Levelled]] = {}
    for one in blocks:
        by_page.setdefault(one.block.page, []).append(one)
    for number, own in by_page.items():
        own = _with_header(before, own)
        shown = _carried(above, before, own)
        for one in own:
            if one.level:
                above = [*(higher for higher in above if higher.level < one.level), one]
        if text := document(items_joined(_markdown([*shown, *_without_orphans(own)]))):
            yield Page(number, text)
        before = own


def _with_header(before: Sequence[_Levelled], own: list[_Levelled]) -> list[_Levelled]:
    """A page whose first table goes on from the page before it, with that one's header."""
    if not before or before[-1].block.shape is not Shape.TABLE or own[0].block.shape is not Shape.TABLE:
        return own
    header, rows = before[-1].block.rows[0], own[0].block.rows
    if len(header) != len(rows[0]) or header == rows[0]:
        return own
    return [replace(own[0], block=replace(own[0].block, rows=(header, *rows))), *own[1:]]


def _carried(above: Sequence[_Levelled], before: Sequence[_Levelled], own: Sequence[_Levelled]) -> list[_Levelled]:
    """The headings that a page stands under, and what leads into a list that goes on."""
    first = own[0]
    if first.level:
        return [one for one in above if one.level < first.level]
    carried = list(above)
    if first.block.shape is Shape.ITEM and before and before[-1].block.shape is Shape.ITEM:
        leads = [one for one in before if one.block.shape is not Shape.ITEM]
        lead = leads[-1].block if leads else None
        if lead is not None and lead.text.endswith(":") and len(lead.text.split()) <= _LONGEST_LEAD:
            carried.append(leads[-1])
    return carried


def _without_orphans(own: Sequence[_Levelled]) -> Sequence[_Levelled]:
    """A page without the headings at its end, which stand above the next page's words."""
    end = len(own)
    while end and own[end - 1].level:
        end -= 1
    return own[:end] or own


def _markdown(blocks: Sequence[_Levelled]) -> Iterator[str]:
    for one in blocks:
        block = one.block
        match block.shape:
            case Shape.HEADING:
                yield heading(block.text.rstrip(" :"), one.level)
            case Shape.LABEL:
                yield f"**{paragraph(block.text.rstrip(' :*').lstrip('*'))}**"
            case Shape.ITEM:
                yield item_text(block.text)
            case Shape.TABLE:
                yield from tables(block.rows)
            case Shape.PARAGRAPH:
                yield paragraph(block.text)
