"""A shared file in the browser: its words, or the file itself where a browser has a way to show it."""

from markupsafe import Markup
from werkzeug.wrappers import Response

from sandbox.state import File
from sandbox.web.layout import page

_SHOWN = ("application/pdf", "image/png", "image/jpeg")
"""What browsers show of themselves; anything else that is no text is handed over to be kept."""
_BODY = Markup('<main class="note-page"><h1>{}</h1><article class="highlight"><pre>{}</pre></article></main>')


def file_response(file: File) -> Response:
    """What opens at a file's address."""
    if file.mode == "hosted" and not file.mimetype.startswith("text/"):
        kept = {} if file.mimetype in _SHOWN else {"Content-Disposition": "attachment"}
        return Response(file.content, mimetype=file.mimetype, headers=kept)
    words = file.content.decode("utf-8", errors="replace")
    return Response(page(file.title, _BODY.format(file.title, words), "plain"), mimetype="text/html")
