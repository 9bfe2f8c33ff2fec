"""`ordinate convert`: a log of any layout as plain answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate.cli._options import AnswerFile, Json
from ordinate.cli._results import Written, check_outputs, table_opt
from ordinate.cli.describe import Objects, object_labels

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.io.rows import Reading


@dataclass(frozen=True)
class Converted:
    """Answers, and how the log was read."""

    answers: Comparisons
    readings: Sequence[Reading]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""
        readings = [reading.to_dict() for reading in self.readings]
        return {"n_answers": len(self.answers), "kind": self.answers.kind, "readings": readings}

    def __str__(self) -> str:
        counted = f"{len(self.answers):,} {self.answers.kind}s"
        return "\n".join([*map(str, self.readings), counted])


def convert(
    source: AnswerFile,
    output: Path | None = table_opt("answers", "print CSV"),
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Write a log of any layout as plain answers: anchor, near, far, weight and groups.

    Example: ordinate convert log.csv -o answers.csv
    """
    from ordinate.io.record_files import comparison_columns, write_comparisons

    check_outputs([*source.inputs, objects], tables=[output])
    answers, readings = source.read_with_notes(object_labels(objects))
    written = Written(unwritten={} if output else {"answers": comparison_columns(answers)})
    written.write(output, lambda path: write_comparisons(answers, path))
    written.show(Converted(answers, readings), json=json)
