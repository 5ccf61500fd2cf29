"""Turns files of every kind into what can be cut: Markdown on its headings, or pages."""

from retrieval.reading.kinds import Kind, kind_of
from retrieval.reading.reader import FileReader
from retrieval.reading.reading import Reading

__all__ = ["FileReader", "Kind", "Reading", "kind_of"]
