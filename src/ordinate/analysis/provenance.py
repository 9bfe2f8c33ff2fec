"""Where a report comes from, and what makes it once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordinate.io.rows import Reading


@dataclass(frozen=True)
class Provenance:
    """The name of a study, its files and how they were read, and what one types."""

    name: str = "a study"
    files: Sequence[Path] = ()
    commands: Sequence[str] = ()
    notes: Sequence[str] = ()
    readings: Sequence[Reading] = ()
