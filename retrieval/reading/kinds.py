"""The kinds of files that are read, by the endings of their names."""

from __future__ import annotations

from enum import Enum
from pathlib import PurePath


class Kind(Enum):
    """How a file is read."""

    MARKDOWN = "Markdown"
    PLAIN = "plain text"
    CODE = "source code"
    NOTEBOOK = "Jupyter notebook"
    HTML = "HTML"
    PDF = "PDF"
    WORD = "Word"
    SLIDES = "PowerPoint"
    WORKBOOK = "Excel"
    SEPARATED = "CSV"

    @property
    def is_text(self) -> bool:
        """Whether it is text as it stands, which needs no parser that could be led astray."""
        return self in (Kind.MARKDOWN, Kind.PLAIN, Kind.CODE)


_KINDS = {
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".txt": Kind.PLAIN,
    ".text": Kind.PLAIN,
    ".rst": Kind.PLAIN,
    ".ipynb": Kind.NOTEBOOK,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".pdf": Kind.PDF,
    ".docx": Kind.WORD,
    ".docm": Kind.WORD,
    ".pptx": Kind.SLIDES,
    ".pptm": Kind.SLIDES,
    ".xlsx": Kind.WORKBOOK,
    ".xlsm": Kind.WORKBOOK,
    ".csv": Kind.SEPARATED,
    ".tsv": Kind.SEPARATED,
}

LANGUAGES = {
    ".bash": "bash",
    ".c": "c",
    ".cc": "cpp",
    ".conf": "",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".ex": "elixir",
    ".exs": "elixir",
    ".go": "go",
    ".gradle": "groovy",
    ".graphql": "graphql",
    ".h": "c",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".ini": "ini",
    ".java": "java",
    ".jl": "julia",
    ".js": "javascript",
    ".json": "json",
    ".jsx": "jsx",
    ".kt": "kotlin",
    ".lua": "lua",
    ".mjs": "javascript",
    ".ml": "ocaml",
    ".php": "php",
    ".pl": "perl",
    ".proto": "protobuf",
    ".ps1": "powershell",
    ".py": "python",
    ".pyi": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".scala": "scala",
    ".sh": "bash",
    ".sql": "sql",
    ".swift": "swift",
    ".tf": "hcl",
    ".toml": "toml",
    ".ts": "typescript",
    ".tsx": "tsx",
    ".vue": "vue",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".zig": "zig",
}
"""Endings of source code and settings, with what a fence calls their language."""

_NAMES = {"dockerfile": "dockerfile", "makefile": "makefile", "justfile": "makefile", "jenkinsfile": "groovy"}
"""Source code whose names have no ending."""


def kind_of(path: PurePath) -> Kind | None:
    """How the file is read; None where it isn't."""
    suffix = path.suffix.lower()
    is_code = suffix in LANGUAGES or path.name.lower() in _NAMES
    return _KINDS.get(suffix) or (Kind.CODE if is_code else None)


def language_of(path: PurePath) -> str:
    """What a fence calls the language of source code."""
    return _NAMES.get(path.name.lower()) or LANGUAGES.get(path.suffix.lower(), "")
