"""How much of time, memory and text one file may cost, whatever it claims to be."""

MOST_BYTES = 50_000_000
"""Of a file that a parser reads: a scanned book has more, and few of its bytes are words."""
MOST_TEXT_BYTES = 2_000_000
"""Of a file that is text as it stands: what is larger is a log or a dump, and would fill the answers."""
MOST_CHARACTERS = 5_000_000
"""Of words in one file: four times the longest novel; what has more is a database rather than a document."""
MOST_PAGES = 5_000
"""Of a PDF, or slides: more than any manual has; empty pages cost next to nothing in a file and time in a parser."""
MOST_CELLS = 1_000_000
"""Of a workbook, empty ones included: a sheet can claim 17 billion."""
MOST_UNPACKED_BYTES = 300_000_000
"""Of all that a zip archive holds: a real document is packed to a tenth, a bomb to a thousandth."""
MOST_PACKED_FILES = 10_000
"""In one zip archive: a part for each slide, picture and sheet."""
MOST_DEPTH = 100
"""Of elements of HTML or groups of shapes within each other: people get to 30."""
TIME_LIMIT_S = 120.0
"""For one file, of wall time: three times what a PDF of all the characters that are allowed takes on a slow core."""
START_LIMIT_S = 60.0
"""Until the parsing process answers for the first time: it loads in less than 1 s on an idle machine."""
ADDRESS_SPACE_BYTES = 2_000_000_000
"""That the parsing process may have, the interpreter's and the parsers' own code (0.5 GB) included."""
