"""Measures what orders that somebody planted in what is read can bring Footnote to do."""
