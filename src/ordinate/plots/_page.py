"""A web page in one file that opens offline, with what it shows inside."""

from __future__ import annotations

import gzip
import html
import json
import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar

from ordinate._pages import fill_page
from ordinate.io.atomic import atomic_path


@dataclass(frozen=True)
class Page:
    """Contents for a template, styles and scripts; there is no other library and no build step."""

    contents: Mapping[str, Any]

    _template: ClassVar[str]
    _styles: ClassVar[tuple[str, ...]]
    _scripts: ClassVar[tuple[str, ...]]

    def to_html(self) -> str:
        """Return the whole page, which needs nothing else, no network either."""
        page = files("ordinate.plots") / "page"

        def read(name: str) -> str:
            return (page / name).read_text(encoding="utf-8")

        return fill_page(
            "ordinate.plots",
            self._template,
            title=self.contents["title"],
            style="".join(map(read, self._styles)),
            scripts=list(map(read, self._scripts)),
            contents=_pack(json.dumps(self.contents, separators=(",", ":"), allow_nan=False)),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all; the same contents give the same bytes.

        Parameters
        ----------
        path : str or path-like
            Such as ``"map.html"``.
        """
        with atomic_path(path) as temporary:
            temporary.write_text(self.to_html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        title = html.escape(self.contents["title"], quote=True)
        return (
            f'<iframe title="{title}" srcdoc="{page}"'
            ' style="width: 100%; height: 600px; border: 0"></iframe>'
        )


def _pack(text: str) -> str:
    """Compress text for the page; without a time stamp, so that it is always the same."""
    return b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()
