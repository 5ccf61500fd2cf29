"""Cuts a text in Slack's markup into pieces that fit, without breaking what belongs together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_FENCE = "```"
_FENCE_ROOM = 2 * (len(_FENCE) + 1)
"""Characters of the fences that close a cut code block and open it again."""
_LONGEST_ENTITY = len("&amp;")


def cut(blocks: Sequence[str], limit: int) -> tuple[str, ...]:
    """The blocks in as few pieces of at most `limit` characters as keep each whole where it fits into one."""
    pieces: list[str] = []
    for block in blocks:
        for part in (block,) if len(block) <= limit else _parts(block, limit):
            if pieces and len(pieces[-1]) + 2 + len(part) <= limit:
                pieces[-1] += f"\n\n{part}"
            else:
                pieces.append(part)
    return tuple(pieces)


def longest_line(text: str) -> int:
    """In characters."""
    return max(map(len, text.split("\n")))


def _parts(block: str, limit: int) -> Iterator[str]:
    """A block cut between its lines; code that is cut is closed and opened again."""
    part: list[str] = []
    is_code = False
    for line in _lines(block, limit - _FENCE_ROOM):
        if part and sum(map(len, part)) + len(part) + len(line) > limit - len(_FENCE) - 1:
            yield "\n".join([*part, _FENCE] if is_code else part)
            part = [_FENCE] if is_code else []
        part.append(line)
        is_code ^= line.strip() == _FENCE
    yield "\n".join(part)


def _lines(block: str, limit: int) -> Iterator[str]:
    for line in block.split("\n"):
        rest = line
        while len(rest) > limit:
            at = _cut_at(rest, limit)
            yield rest[:at].rstrip()
            rest = rest[at:].lstrip()
        yield rest


def _cut_at(line: str, limit: int) -> int:
    """After the last word that fits; in a word without end, before an entity that would be cut."""
    space = line.rfind(" ", limit // 2, limit)
    if space > 0:
        return space
    entity = line.rfind("&", limit - _LONGEST_ENTITY, limit)
    return entity if entity > 0 and ";" not in line[entity:limit] else limit
