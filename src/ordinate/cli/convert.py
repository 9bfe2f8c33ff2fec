"""`ordinate convert`: a log of any layout as plain answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate.cli._options import AnswerFile, Json
from ordinate.cli._results import check_outputs, print_report, table_opt
from ordinate.cli.describe import Objects, object_labels

if TYPE_CHECKING:
    from ordinate.io.logs import Reading


@dataclass(frozen=True)
class ConvertReport:
    """How the log was read, and how many answers were written."""

    n_answers: int
    kind: str
    readings: tuple[Reading, ...]
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""
        return {
            "n_answers": self.n_answers,
            "kind": self.kind,
            "readings": [reading.to_dict() for reading in self.readings],
            "files": [str(path) for path in self.files],
        }

    def __str__(self) -> str:
        """Say how the log was read, and where the answers are."""
        written = [f"Wrote {path}: {self.n_answers:,} {self.kind}s" for path in self.files]
        return "\n".join([*map(str, self.readings), *written])


def convert(
    source: AnswerFile,
    output: Path | None = table_opt("answers"),
    objects: Objects = None,
    json: Json = False,
) -> None:
    """Write a log of any layout as plain answers: anchor, near, far, weight and groups.

    Example: ordinate convert log.csv -o answers.csv
    """
    from ordinate.io.record_files import comparison_columns, write_comparisons

    check_outputs([*source.inputs, objects], tables=[output])
    answers, readings = source.read_with_notes(object_labels(objects))
    columns: Any = {}
    if output:
        write_comparisons(answers, output)
    else:
        columns = {"answers": comparison_columns(answers)}
    report = ConvertReport(len(answers), answers.kind, tuple(readings), (output,) if output else ())
    print_report(report, columns, json=json)
