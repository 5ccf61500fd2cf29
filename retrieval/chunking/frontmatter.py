"""Takes the YAML block off the head of a Markdown page."""

from __future__ import annotations

import re

import yaml

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def without_front_matter(text: str) -> tuple[str, str]:
    """The `title` of the front matter (empty where there is none), and the text behind it."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return "", text
    fields = _fields(match["yaml"])
    if fields is None:
        return "", text
    title = fields.get("title")
    return (" ".join(title.split()) if isinstance(title, str) else ""), text[match.end() :]


def _fields(text: str) -> dict[object, object] | None:
    """The fields, or None where it's no front matter: a rule, some prose, another rule."""
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError:
        return {} if re.match(r"\s*[\w-]+:", text) else None
    if loaded is None:
        return {}
    return loaded if isinstance(loaded, dict) else None
