"""A publisher on this machine, and the real data where somebody has them."""

import hashlib
import io
import os
import tarfile
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ordinate.datasets._about import files_of
from ordinate.datasets._files import Remote


class _Handler(BaseHTTPRequestHandler):
    """Serves the server's `files`; `/cut/...` breaks off half-way."""

    def do_GET(self):
        self.server.requests.append(self.path)
        content = self.server.files.get(self.path.rpartition("/")[2])
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        cut = self.path.startswith("/cut/")
        self.wfile.write(content[: len(content) // 2] if cut else content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    """An HTTP server with `url`, the `files` it serves and the `requests` it got."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as running:
        running.url = f"http://127.0.0.1:{running.server_port}"
        running.files = {}
        running.requests = []
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def recount(monkeypatch):
    """Replace the published counts of a data set, and other things known of its files."""

    def recount(name, counts, **others):
        files = replace(files_of(name), counts=counts, **others)
        monkeypatch.setattr("ordinate.datasets._loaders.files_of", {name: files}.__getitem__)

    return recount


@pytest.fixture
def publish(server, recount, tmp_path):
    """Make the server the publisher of a data set; returns an empty data folder.

    The archives are fabricated, so the published counts are replaced as well.
    """

    def publish(name, files, **counts):
        server.files.update(files)
        remotes = tuple(
            Remote(file, (f"{server.url}/{file}",), f"sha256:{hashlib.sha256(content).hexdigest()}")
            for file, content in files.items()
        )
        assert [r.name for r in remotes] == [r.name for r in files_of(name).published]
        published = {what.replace(" ", "_"): what for what in files_of(name).counts}
        own = {published[name]: count for name, count in counts.items()}
        recount(name, own, published=remotes)
        assert len(counts) == len(published)
        return tmp_path / "data"

    return publish


@pytest.fixture
def real_data():
    """The folder with the real data."""
    folder = os.environ.get("ORDINATE_DATA")
    if not folder:
        pytest.skip("needs the real data: set ORDINATE_DATA to the folder that holds them")
    return folder


@pytest.fixture
def zipped():
    """Put files, given as a dict of path to content, into a zip archive."""

    def zipped(members):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return buffer.getvalue()

    return zipped


@pytest.fixture
def tarred():
    """Put files, given as a dict of path to content, into a tar.gz archive."""

    def tarred(members):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return buffer.getvalue()

    return tarred
