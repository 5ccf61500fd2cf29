"""Turns words into vectors: dense by fastembed's models, sparse by BM25."""
