"""What a map shows of its objects besides their places: classes, numbers, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordinate.cli._typer import picture_opt

if TYPE_CHECKING:
    from ordinate.analysis.look import Look


@dataclass(frozen=True)
class Appearance:
    """Where to read what the objects look like."""

    objects: Path | None = picture_opt(
        "Table about the objects, with their names in the column 'object' or the first one;"
        " a column 'image' holds files of pictures.",
        "FILE",
    )
    color: str | None = picture_opt("Column of --objects that colours the map.", "COLUMN")
    images: Path | None = picture_opt("Folder of pictures named after the objects.", "FOLDER")

    @property
    def files(self) -> list[Path]:
        """The files that are read, pictures included."""
        pictures = sorted(self.images.rglob("*")) if self.images and self.images.is_dir() else []
        return [*([self.objects] if self.objects else []), *pictures]

    def arguments(self) -> list[str]:
        """Return what one types to get the same."""
        options = {"--objects": self.objects, "--color": self.color, "--images": self.images}
        return [word for name, value in options.items() if value for word in (name, str(value))]

    def look_up(self, names: Sequence[object]) -> Look:
        """Find what there is to show of the objects that are called so, in their order."""
        from ordinate.analysis.look import read_look

        return read_look(names, self.objects, self.color, self.images)
