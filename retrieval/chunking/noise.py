"""Takes out of Markdown what its readers don't read: comments, scripts, tags, images; code stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.chunking.htmltables import table_to_markdown

_INLINE = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|input|ins|kbd|label|mark|nobr|q|s|samp|small|span|strike|strong|"
    "sub|sup|time|tt|u|var|wbr|br|button|select|option|source|track|param"
)
_BLOCK = (
    "address|article|aside|blockquote|body|caption|center|col|colgroup|dd|details|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|head|header|hr|html|legend|li|link|main|map|meta|nav|ol|p|picture|section|summary|table|tbody|td|"
    "textarea|tfoot|th|thead|title|tr|ul"
)
"""HTML's elements, whose tags go and whose words stay. What isn't HTML, like `<YOUR_NAME>`, is somebody's words."""

_SILENT = "script|style|svg|iframe|video|audio|object|embed|noscript|template|canvas|math"
"""Elements that hold nothing to read."""

_REST = r"(?:\s[^<>]*|/)?>"
_TAG = re.compile(rf"<(?P<slash>/?)(?P<name>{_INLINE}|{_BLOCK}|{_SILENT}|pre){_REST}", re.IGNORECASE)
_OPENS_HTML = re.compile(rf"[ \t]*</?(?:{_BLOCK}){_REST}", re.IGNORECASE)

_LONG = re.compile(
    r"(?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,})[^\n]*)"
    r"|(?P<span>`+)"
    r"|(?P<comment><!--)"
    rf"|<(?P<silent>{_SILENT})\b[^<>]*>"
    r"|(?P<indent>^[ \t]*)?<(?P<kept>table|pre)\b[^<>]*>",
    re.IGNORECASE | re.MULTILINE,
)
"""Where something starts that may go on over several lines."""

_IMAGE = r"!\[([^\[\]\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])"
_LINKED_IMAGE = rf"\[[ ]*{_IMAGE}[ ]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])"
_INLINE_NOISE = re.compile(
    r"(?P<code>(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))"
    r"|<a\s[^<>]*?href=[\"'](?P<href>[^\"'<>\s]*)[\"'][^<>]*>(?P<link>[^<>\n\[\]]+)</a>"
    r"|<code>(?P<literal>[^<>`\n]+)</code>"
    rf"|(?P<image>{_LINKED_IMAGE}|{_IMAGE})"
    rf"|(?P<tag>{_TAG.pattern})",
    re.IGNORECASE,
)
_ONLY_IMAGES = re.compile(rf"[ \t>]*(?:(?:{_LINKED_IMAGE}|{_IMAGE}|<img\b[^<>]*>)[ \t]*)+$", re.IGNORECASE)
_DIRECTIVE = re.compile(r"[ \t]*(?:\{\{.*\}\}|\{%.*%\})[ \t]*")
"""A line for the program that makes pages out of the text."""
_TABLE_RULE = re.compile(r"[ \t]*\|[ \t:|-]+")
_PADDING = re.compile(r"(\S) {2,}(?=\|)")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")


def is_tag(text: str) -> bool:
    """Whether the text is one HTML tag or comment, which a reader never sees."""
    return bool(_TAG.fullmatch(text)) or text.startswith("<!--")


def without_noise(text: str) -> str:
    """The text with tags reduced to what they hold and HTML's tables and lists as Markdown's."""
    whole = "".join(_without_long(text)) if "<" in text else text
    return "\n".join(_cleaned(whole.split("\n")))


def _without_long(text: str) -> Iterator[str]:
    """Pieces of the text without what is noise over several lines."""
    position, missing = 0, set[str]()
    while match := _LONG.search(text, position):
        yield text[position : match.start()]
        end = _end(text, match, missing)
        yield _shortened(match, text[match.start() : end])
        position = end
    yield text[position:]


def _end(text: str, match: re.Match[str], missing: set[str]) -> int:
    """Where it ends; behind its start where nothing ends it. `missing` keeps what is known to come no more."""
    if match["fence"] is not None:
        closing = re.compile(rf"^[ \t>]*{match['mark'][0]}{{{len(match['mark'])},}}[ \t]*$", re.MULTILINE)
        found = closing.search(text, match.end())
        return found.end() if found else len(text)
    if match["span"] is not None:
        paragraph_end = text.find("\n\n", match.end())
        closing = re.compile(rf"(?<!`){match['span']}(?!`)")
        found = closing.search(text, match.end(), paragraph_end if paragraph_end >= 0 else len(text))
        return found.end() if found else match.end()
    mark = "-->" if match["comment"] else f"</{(match['silent'] or match['kept']).lower()}>"
    if mark in missing or match.group().endswith("/>"):
        return match.end()
    found = re.compile(re.escape(mark), re.IGNORECASE).search(text, match.end())
    if found is None:
        missing.add(mark)
        return match.end()
    return found.end()


def _shortened(match: re.Match[str], whole: str) -> str:
    if match["fence"] is not None or match["span"] is not None:
        return whole
    if match["kept"] is None:
        return whole if whole == "<!--" else ""
    if not whole.lower().endswith(f"</{match['kept'].lower()}>"):
        return whole
    indent = match["indent"] or ""
    converted = table_to_markdown(whole) if match["kept"].lower() == "table" else _fenced(whole)
    return "\n\n" + "\n".join(f"{indent}{line}" for line in converted.split("\n")) + "\n\n"


def _fenced(pre: str) -> str:
    """A `<pre>` block as a block of code."""
    body = _TAG.sub("", pre).strip("\n").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return f"```\n{body}\n```"


def _cleaned(lines: list[str]) -> Iterator[str]:
    """The lines without tags and images; indentation that belonged to HTML goes with it."""
    fence, in_html = "", False
    for line in lines:
        mark = _FENCE.match(line)
        if fence or mark:
            fence = _fence_after(fence, mark, line)
            yield line
            continue
        in_html = bool(line.strip()) and (in_html or bool(_OPENS_HTML.match(line)))
        if _ONLY_IMAGES.fullmatch(line) or _DIRECTIVE.fullmatch(line):
            yield ""
        elif "<" not in line and "![" not in line:
            yield line.strip() if in_html else _narrowed(line)
        elif in_html:
            yield from (piece.strip() for piece in _INLINE_NOISE.sub(_block_words, line).split("\n"))
        else:
            yield _narrowed(_INLINE_NOISE.sub(_inline_words, line))


def _narrowed(line: str) -> str:
    """A table's row without the padding that lines up its columns; any other line as it is."""
    if not line.lstrip().startswith("|"):
        return line
    return re.sub("-{4,}", "---", line) if _TABLE_RULE.fullmatch(line) else _PADDING.sub(r"\1 ", line)


def _fence_after(fence: str, mark: re.Match[str] | None, line: str) -> str:
    """The fence that is open behind a line; empty where none is."""
    if mark is None:
        return fence
    if not fence:
        return mark.group(1)
    closes = line.strip(" \t>").startswith(fence) and not line.strip(" \t>").strip(fence[0])
    return "" if closes else fence


def _inline_words(match: re.Match[str]) -> str:
    if match["code"]:
        return match.group()
    if match["link"]:
        return f"[{match['link'].strip()}]({match['href']})"
    if match["literal"]:
        return f"`{match['literal']}`"
    if match["image"]:
        return " ".join(alt for alt in re.findall(_IMAGE, match["image"]) if alt)
    return " " if re.fullmatch(f"br|{_BLOCK}", match["name"], re.IGNORECASE) else ""


def _block_words(match: re.Match[str]) -> str:
    """In a line of HTML, elements open lines of their own."""
    name = (match["name"] or "").lower()
    if not match["tag"] or not re.fullmatch(f"br|{_BLOCK}", name):
        return _inline_words(match)
    if match["slash"] or name == "br":
        return "\n" if name == "br" else "" if name == "li" else "\n\n"
    if name == "li":
        return "\n- "
    return f"\n\n{'#' * int(name[1])} " if re.fullmatch("h[1-6]", name) else "\n\n"
