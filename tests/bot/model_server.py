"""A language model's server on loopback that says what a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Says = Callable[[str], str]
"""What is said to a prompt: the text of its last message."""


@contextmanager
def served(says: Says, status: int = 200) -> Iterator[str]:
    """The address of a server that speaks chat completions, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        """One request."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(status)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for word in says(body["messages"][-1]["content"]).split(" ") if status == 200 else ():
                self._send({"choices": [{"delta": {"content": f"{word} "}, "finish_reason": None}]})
            self._send({"choices": [{"delta": {}, "finish_reason": "stop"}]})

        def _send(self, chunk: object) -> None:
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

        def log_message(self, format: str, *args: object) -> None:  # the name that it has above
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
