"""Normalises what readers can't see: odd line ends and spaces, zero-width and control characters."""

from __future__ import annotations

import re

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_INVISIBLE = (
    "\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f"  # controls
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"  # soft hyphen, joiners and fillers
    "\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, marks and overrides of direction
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # tags, which can spell out whole hidden sentences
    "\ud800-\udfff"  # halves of surrogate pairs, which no encoding can write
)
_LINE_END = re.compile("\r\n?|[\u0085\u2028\u2029]")
_SPACE = re.compile(f"[{_SPACES}]")
_HIDDEN = re.compile(f"[{_INVISIBLE}]")


def without_hidden(text: str) -> str:
    """The text with line feeds and plain spaces for their kin, and nothing that can't be seen.

    The zero-width joiner stays: it holds emoji together.
    """
    return _HIDDEN.sub("", _SPACE.sub(" ", _LINE_END.sub("\n", text)))
