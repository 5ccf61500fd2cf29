"""Measures the stages of an answer on files of examples."""
