"""A real bot at work in a sandbox."""
