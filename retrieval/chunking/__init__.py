"""Cuts sources into passages on their structure, sized in the embedding model's tokens."""
