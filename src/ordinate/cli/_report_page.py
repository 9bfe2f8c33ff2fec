"""Write the findings of `ordinate report` as one page."""

from __future__ import annotations

import shlex
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import file_digest
from typing import TYPE_CHECKING

from ordinate import plots
from ordinate._pages import fill_page
from ordinate._versions import versions
from ordinate.cli._options import matching_files
from ordinate.plots._figures import render_figure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from ordinate.cli._appearance import Look
    from ordinate.cli._report_findings import Findings, Plan

MOST_LISTED = 20
"""Rows of a table that a reader goes through."""


@dataclass(frozen=True)
class Origin:
    """Where a report comes from.

    Attributes
    ----------
    path : Path
        The file of answers, or the pattern of several.
    reading : list of str
        What one types to read it.
    plan : Plan
        What was tried.
    notes : sequence of str
        How a log was read, and how many rows were left out.
    """

    path: Path
    reading: Sequence[str]
    plan: Plan
    notes: Sequence[str] = ()

    def commands(self, findings: Findings) -> list[str]:
        """Return the commands that give the same figures."""
        plan, choice = self.plan, findings.choice
        dims = ",".join(map(str, plan.dimensions))
        folds = ["--folds", str(plan.folds)]
        trying = ["--methods", ",".join(plan.methods), "--dims", dims, *folds]
        held_out = ["--split-by", plan.by] if plan.by else []
        seed = ["--seed", str(plan.seed)]
        chosen = ["--method", choice.method, "--dim", str(choice.dimension)]
        return [
            shlex.join(["ordinate", *words])
            for words in (
                ["report", *self.reading, *trying, *held_out, *seed],
                ["compare", *self.reading, *trying, *held_out, *seed],
                ["noise", *self.reading, *chosen, *folds, *held_out, *seed],
                ["embed", *self.reading, *chosen, *held_out, *seed, "-o", "map.csv"],
            )
        ]


def write_page(findings: Findings, origin: Origin, look: Look) -> str:
    """Fill in the page.

    Parameters
    ----------
    findings : Findings
        All figures.
    origin : Origin
        Where they come from.
    look : Look
        How objects appear on the map.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    return fill_page(
        "ordinate.cli",
        "report.html",
        name=origin.path.name,
        checksums={p.name: _checksum(p) for p in matching_files(origin.path) if p.is_file()},
        notes=origin.notes,
        today=date.today().isoformat(),
        findings=findings,
        figures=dict(_figures(findings, look)),
        listed=findings.noise.at_odds[:MOST_LISTED].tolist(),
        participants=findings.noise.per_group[:MOST_LISTED],
        commands=origin.commands(findings),
        seed=origin.plan.seed,
        versions={name: text for name, text in versions().items() if text},
    )


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _figures(findings: Findings, look: Look) -> Iterator[tuple[str, str]]:
    """Draw what the page shows, as addresses that hold the pictures."""
    answers = findings.answers
    names = answers.names or range(answers.n_objects)
    labels = look.columns[look.color] if look.color else None
    named = [str(name) for name in names]
    sure = findings.uncertainty
    yield (
        "map",
        _uri(plots.plot_map(findings.points, named, labels, images=look.images, uncertainty=sure)),
    )
    if sure:
        yield "stability", _uri(plots.plot_stability(sure))
    yield "methods", _uri(plots.plot_methods(findings.table))
    yield "learning", _uri(plots.plot_learning_curve(findings.learning))
    yield "margins", _uri(plots.plot_margins(findings.noise.margins))
    if findings.noise.per_group:
        yield "participants", _uri(plots.plot_agreement(findings.noise))


def _uri(axes: Axes) -> str:
    return "data:image/svg+xml;base64," + b64encode(render_figure(axes, ".svg")).decode()
