"""Keeps passages with their vectors and finds them inside a scope."""
