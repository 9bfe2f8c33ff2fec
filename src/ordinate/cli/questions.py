"""`ordinate questions`: what to ask about a list of objects, through a few landmarks."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError, check_integer
from ordinate.cli._options import Json
from ordinate.cli._results import check_outputs, print_report, table_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Design(StrEnum):
    """Landmark designs; the value is what `ordinate.sources.landmark_questions` calls it."""

    K1 = "k1"
    K2 = "k2"


@dataclass(frozen=True)
class QuestionsReport:
    """How many questions there are, and what is to be done with them."""

    n_objects: int
    landmarks: tuple[str, ...]
    design: str
    n_questions: int
    n_possible: int
    seed: int
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values."""
        return asdict(self) | {"files": [str(path) for path in self.files]}

    def __str__(self) -> str:
        """Say how many questions there are, and how to go on."""
        return "\n".join(
            [
                f"{self.n_questions:,} of {self.n_possible:,} questions about {self.n_objects:,}"
                f" objects; landmarks: {', '.join(self.landmarks)}.",
                'Ask "is the anchor more like left or more like right?" and add a column "answer"'
                " with left, right or the object's name. Every command then reads the table.",
                *(f"Wrote {path}" for path in self.files),
            ]
        )


def questions(
    objects: Annotated[
        Path, typer.Argument(help="Text file with one object per line.", show_default=False)
    ],
    landmarks: Annotated[
        int,
        typer.Option(
            "--landmarks", "-l", min=2, metavar="N", help="Number of landmarks.", show_default=False
        ),
    ],
    design: Annotated[
        Design,
        typer.Option(
            help="k1: compare every object with pairs of landmarks."
            " k2: let landmarks compare every object with another landmark."
        ),
    ] = Design.K1,
    size: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Ask so many, chosen at random. Default: all."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same seed gives the same questions.")
    ] = 0,
    output: Annotated[Path | None, table_option("questions")] = None,
    json: Json = False,
) -> None:
    """List the questions to ask about a list of objects, in random order.

    All of them go through a few landmarks, chosen at random, so that any
    two objects have questions in common: what `ordinate cluster` needs.

    Example: ordinate questions objects.txt --landmarks 10 -o questions.csv
    """
    import numpy as np

    from ordinate.io.coordinates import table_writer, write_table
    from ordinate.sources import choose_landmarks, landmark_questions

    if output:
        table_writer(output)
        check_outputs([output], [objects])
    names = _read_names(objects)
    rng = np.random.default_rng(seed)
    check_integer("--landmarks", landmarks, minimum=2, maximum=len(names))
    chosen = choose_landmarks(landmarks, n_objects=len(names), random_state=rng)
    possible = landmark_questions(len(names), chosen, design=design.value)
    check_integer("--size", size or len(possible), minimum=1, maximum=len(possible))
    rows = _shuffled(possible, rng)[:size]
    columns = dict(
        zip(("anchor", "left", "right"), np.array(names, dtype=object)[rows.T], strict=True)
    )
    if output:
        write_table(output, columns)
    report = QuestionsReport(
        n_objects=len(names),
        landmarks=tuple(names[number] for number in chosen),
        design=design.value,
        n_questions=len(rows),
        n_possible=len(possible),
        seed=seed,
        files=(output,) if output else (),
    )
    print_report(report, {} if output else {"questions": columns}, json=json)


def _read_names(path: Path) -> list[str]:
    """Read one object per line; empty lines do not count."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {str(path)!r} as text: {error}.") from None
    names = [line.strip() for line in text.splitlines() if line.strip()]
    if len(names) < 3:
        raise InputError(
            f"{str(path)!r} has {len(names)} objects; expected 3 or more, each on its own line."
        )
    (name, times), *_ = Counter(names).most_common(1)
    if times > 1:
        raise InputError(f"{str(path)!r} has {name!r} {times} times; every object counts once.")
    return names


def _shuffled(rows: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """Shuffle the questions, and in each of them the two to choose from."""
    rows = rng.permutation(rows)
    swapped = rng.random(len(rows)) < 0.5
    rows[swapped, 1:] = rows[swapped, :0:-1]
    return rows
