"""What embedding models want to read before a text, by their names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model wants before a query and before a passage, by its model card; fastembed does not add it."""

    query: str = ""
    passage: str = ""


_RELEVANT = "Represent this sentence for searching relevant passages: "
_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query"

_FAMILIES = (
    ("baai/bge-small-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    ("baai/bge-", Prefixes(_RELEVANT)),
    ("snowflake/snowflake-arctic-embed-", Prefixes(_RELEVANT)),
    ("mixedbread-ai/mxbai-embed-", Prefixes(_RELEVANT)),
    ("intfloat/multilingual-e5-", Prefixes("query: ", "passage: ")),
    ("nomic-ai/nomic-embed-text-", Prefixes("search_query: ", "search_document: ")),
    ("google/embeddinggemma-", Prefixes("task: search result | query: ", "title: none | text: ")),
    ("qwen/qwen3-embedding-", Prefixes(f"{_INSTRUCT}\nQuery:")),
    ("qdrant/stella-en-", Prefixes(f"{_INSTRUCT}.\nQuery: ")),
)
"""By how names begin, in small letters; the first that fits holds."""


def prefixes_of(model: str) -> Prefixes:
    """The model's prefixes; none for a model of no family that has any."""
    return next((found for begins, found in _FAMILIES if model.lower().startswith(begins)), Prefixes())
