"""The same calls on every kind of store."""
