"""Measures retrieval on sets with known answers."""
