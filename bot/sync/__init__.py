"""Keeps the index true to what the team has written."""
