"""A build fails if one of its pages would ask the network for anything when it is opened."""

import re
from html.parser import HTMLParser
from pathlib import Path

from sphinx.errors import ExtensionError

LOADS = {"link": "href"} | dict.fromkeys(["script", "img", "iframe", "source", "video"], "src")
"""What a browser loads by itself; links that a reader follows may lead anywhere."""

REMOTE = re.compile(r"^(https?:)?//")


class Loads(HTMLParser):
    """Collect the addresses of what a page loads from elsewhere."""

    def __init__(self):
        super().__init__()
        self.remote = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        address = given.get(LOADS.get(tag, "")) or ""
        if REMOTE.match(address) and given.get("rel") not in ("canonical", "author", "search"):
            self.remote.append(address)


def check_pages(app, failure):
    """Read every page that was written."""
    if failure or app.builder.name != "html":
        return
    found = []
    for path in sorted(Path(app.outdir).rglob("*.html")):
        page = Loads()
        page.feed(path.read_text(encoding="utf-8"))
        found += [f"{path.name}: {address}" for address in page.remote]
    if found:
        raise ExtensionError("Pages must open offline, but load " + ", ".join(found[:10]))


def setup(app):
    app.connect("build-finished", check_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
