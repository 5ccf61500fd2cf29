"""Files over HTTP: uploads to the address that Slack gives, and downloads with a token."""

from werkzeug.wrappers import Request, Response

from sandbox.api import Api
from sandbox.methods.files import may_open
from sandbox.state import Workspace
from sandbox.types import Refused

_SIGN_IN = "<!doctype html><title>Sign in</title><p>Sign in to see this file.</p>"


class Transfers:
    """Takes and gives the bytes of files."""

    def __init__(self, workspace: Workspace, api: Api) -> None:
        self._workspace = workspace
        self._api = api

    def upload(self, request: Request, file_id: str) -> Response:
        """The bytes of a file whose address was asked for; the body itself or its first form file."""
        file = self._workspace.files.get(file_id)
        if file is None:
            return Response("no such upload", status=404)
        parts = list(request.files.values()) if request.mimetype == "multipart/form-data" else []
        content = parts[0].stream.read() if parts else request.get_data()
        with self._workspace.lock:
            file.content = content
        return Response(f"OK - {len(content)}")

    def download(self, request: Request, path: str) -> Response:
        """A file for a token that may have it; anybody else gets a page to sign in, with status 200 as from Slack."""
        file = self._workspace.files.get(path.split("/")[0].rpartition("-")[2])
        token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        try:
            caller = self._api.caller(token)
            caller.need("files:read")
        except Refused:
            return Response(_SIGN_IN, mimetype="text/html")
        if file is None or file.deleted or not may_open(self._workspace, caller.person, file):
            return Response("File not found", status=404)
        return Response(file.content, mimetype=file.mimetype)
