"""Proves who may read what: random workspaces in the sandbox, checked byte by byte against an oracle of its own."""
