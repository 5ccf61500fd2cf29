"""Scripts in which a space does not end a word."""

from __future__ import annotations

import re

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, without the dot between words
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han, and the planes of rarer Han
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul: it has spaces, but what follows a noun stands without one
)
"""For a class of characters in a regular expression."""

UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
HAN = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Characters each of which can be a word."""
