"""How well Footnote tells what it can answer from what it can't, and what its answers cite."""
