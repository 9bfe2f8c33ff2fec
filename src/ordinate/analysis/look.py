"""What a map shows of its objects besides their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Look:
    """Columns by name, the one that colours the map, and a picture per object."""

    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    color: str | None = None
    images: Sequence[Any] | None = None
