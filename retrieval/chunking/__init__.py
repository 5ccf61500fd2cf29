"""Cuts sources into passages on their structure, sized in the embedding model's tokens."""

from retrieval.chunking.cut import CHUNKING_VERSION, cut, title_of
from retrieval.chunking.embedded import text_to_embed
from retrieval.chunking.excerpts import texts_to_embed
from retrieval.chunking.sizes import Budget
from retrieval.chunking.stretches import stretches

__all__ = ["CHUNKING_VERSION", "Budget", "cut", "stretches", "text_to_embed", "texts_to_embed", "title_of"]
