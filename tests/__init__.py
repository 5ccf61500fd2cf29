"""The tests; `tests/bot` and `tests/retrieval` mirror the packages."""
