"""Everything that retrieval raises.

RetrievalError
├── StoreUnavailable      the store can't be opened or reached; another process may hold it
├── CollectionMismatch    the collection was built by another model, language or way of chunking
├── EmbeddingError        the embedding model is missing, damaged or failed
├── RerankerError         the reranking model is missing, damaged or failed
└── UnreadableSource      a file can't be read as what it claims to be; the rest is indexed
    └── ReadingEnded      its parser ran out of time or memory, which may go better another time

Adapters translate what the packages below raise, with `raise … from`; nothing above an adapter sees those.
"""


class RetrievalError(Exception):
    """Retrieval failed; the message is one sentence that says what to do."""


class StoreUnavailable(RetrievalError):
    """The store can't be opened or reached."""


class CollectionMismatch(RetrievalError):
    """The collection was built by another model, language or chunking version: `footnote reindex` rebuilds it."""


class EmbeddingError(RetrievalError):
    """The embedding model is missing, damaged or failed."""


class RerankerError(RetrievalError):
    """The reranking model is missing, damaged or failed; without RERANKER_MODEL there is none."""


class UnreadableSource(RetrievalError):
    """A file can't be read as what it claims to be."""


class ReadingEnded(UnreadableSource):
    """A file's parser ran out of time or memory, or broke; it may go better another time."""
