"""Write the findings of `ordinate report` as one page."""

from __future__ import annotations

import shlex
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import file_digest
from importlib.resources import files
from inspect import getdoc
from io import BytesIO
from typing import TYPE_CHECKING

from ordinate import plots
from ordinate._pages import fill_page
from ordinate.cli._options import matching_files
from ordinate.cli.doctor import versions
from ordinate.io.coordinates import coordinate_columns, write_csv
from ordinate.methods import METHODS
from ordinate.plots._figures import figure_of, new_axes, render_for_page
from ordinate.plots._labels import shorten_names
from ordinate.plots._map import SIDES
from ordinate.selection._compare import NEARLY

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from ordinate.cli._appearance import Look
    from ordinate.cli._report_findings import Findings, Plan

MOST_LISTED = 30
"""Rows of a table or a chart that a reader goes through."""

_PHONE = 4.4
"""Width in inches of a map whose letters a phone does not make too small."""


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
    appearance : sequence of str
        What one types so that objects look as they do.
    """

    path: Path
    reading: Sequence[str]
    plan: Plan
    notes: Sequence[str] = ()
    appearance: Sequence[str] = ()

    def commands(self, findings: Findings) -> list[str]:
        """Return the commands that give the same figures."""
        plan, choice = self.plan, findings.choice
        dims = ",".join(map(str, plan.dimensions))
        folds = ["--folds", str(plan.folds)]
        setting = [word for text in plan.settings for word in ("--set", text)]
        trying = ["--methods", ",".join(plan.method_names), "--dims", dims, *folds, *setting]
        held_out = ["--split-by", plan.by] if plan.by else []
        seed = ["--seed", str(plan.seed)]
        method = choice.method.split("(")[0]
        chosen = ["--method", method, "--dim", str(choice.dimension)]
        for text in plan.settings:
            name, _, parameter = text.partition(".")
            chosen += ["--set", parameter] * (name.lower() == method.lower())
        return [
            shlex.join(["ordinate", *words])
            for words in (
                ["report", *self.reading, *self.appearance, *trying, *held_out, *seed],
                ["compare", *self.reading, *trying, *held_out, *seed],
                ["noise", *self.reading, *chosen, *folds, *held_out, *seed],
                ["embed", *self.reading, *chosen, *held_out, *seed, "-o", "map.csv"],
            )
        ]


SECTIONS = (
    "map",
    "data",
    "methods",
    "trust",
    "participants",
    "more",
    "text",
    "coordinates",
    "again",
)
"""The page's sections in order; each is a template ``page/report/NAME.html``."""


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
    drawn = _draw_map(findings, look)
    pictures = dict(_figures(findings)) | {"map": _uri(drawn.axes[0])}
    return fill_page(
        "ordinate.cli",
        "report.html",
        style=(files("ordinate.cli") / "page" / "report.css").read_text(encoding="utf-8"),
        sections=SECTIONS,
        name=origin.path.name,
        checksums={p.name: _checksum(p) for p in matching_files(origin.path) if p.is_file()},
        notes=origin.notes,
        today=date.today().isoformat(),
        findings=findings,
        participants_known="participant" in findings.description.groups,
        ties=[str(row) for row in findings.table.tied],
        figures=pictures,
        narrow_map=_uri(drawn.narrow) if drawn.narrow else "",
        views=_views(drawn),
        unnamed=_unnamed(drawn),
        most_listed=MOST_LISTED,
        short=dict(zip(drawn.names, shorten_names(drawn.names), strict=True)),
        interactive=_interactive(findings, look),
        participants=findings.noise.per_group[:MOST_LISTED],
        text=methods_paragraph(findings, origin.plan),
        references=list(dict.fromkeys(references_of(findings).values())),
        coordinates=_coordinates(findings),
        commands=origin.commands(findings),
        seed=origin.plan.seed,
        versions={name: text for name, text in versions().items() if text},
    )


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


# ---- the map ----


@dataclass(frozen=True)
class _DrawnMap:
    """The map on paper: one picture or, of three dimensions, one from each side.

    A narrow picture of two dimensions has letters that one can read on a phone.
    """

    axes: list[Axes]
    names: list[str]
    narrow: Axes | None = None


def _names(findings: Findings) -> list[str]:
    answers = findings.answers
    return [str(name) for name in answers.names or range(answers.n_objects)]


def _draw_map(findings: Findings, look: Look) -> _DrawnMap:
    names, sure = _names(findings), findings.uncertainty
    labels = look.columns[look.color] if look.color else None
    if findings.points.shape[1] != 3:

        def draw(ax: Axes | None = None) -> Axes:
            return plots.plot_map(
                findings.points, names, labels, ax, images=look.images, uncertainty=sure
            )

        wide = draw()
        width, height = figure_of(wide).get_size_inches()
        return _DrawnMap([wide], names, draw(new_axes(_PHONE, _PHONE * height / width)))
    drawn = []
    for dimensions in SIDES:
        ax = plots.plot_map(
            findings.points,
            names,
            labels,
            new_axes(4.2, 3.8),
            images=look.images,
            uncertainty=sure,
            dimensions=dimensions,
        )
        drawn.append(ax)
    return _DrawnMap(drawn, names)


def _views(drawn: _DrawnMap) -> list[dict[str, object]]:
    """Return the sides of a map in space, with the dimension along which one looks."""
    if len(drawn.axes) == 1:
        return []
    return [
        {"picture": _uri(ax), "along": along}
        for ax, along in zip(drawn.axes, (3, 2, 1), strict=True)
    ]


def _unnamed(drawn: _DrawnMap) -> int:
    """Count the objects that no picture names."""
    named = {text.get_gid() for ax in drawn.axes for text in ax.texts}
    return len(drawn.names) - len(named)


def _interactive(findings: Findings, look: Look) -> str:
    """Return the map to explore, in a frame."""
    return plots.plot_interactive_map(
        findings.points,
        _names(findings),
        look.columns,
        color=look.color,
        images=look.images,
        uncertainty=findings.uncertainty,
        title=str(findings.choice),
    )._repr_html_()


def _coordinates(findings: Findings) -> str:
    """Return the table of coordinates as an address that holds it."""
    table = BytesIO()
    write_csv(coordinate_columns(findings.points, _names(findings)), table)
    return "data:text/csv;base64," + b64encode(table.getvalue()).decode()


# ---- what a paper quotes ----


def methods_paragraph(findings: Findings, plan: Plan) -> str:
    """Describe the analysis as a paper does.

    Parameters
    ----------
    findings : Findings
        All figures.
    plan : Plan
        What was tried.

    Returns
    -------
    str
        Sentences to paste, with numbers of references.
    """
    described, table, sure = findings.description, findings.table, findings.uncertainty
    references = references_of(findings)
    numbers = list(dict.fromkeys(references.values()))
    cited = {name: f"{name} [{numbers.index(paper) + 1}]" for name, paper in references.items()}
    methods = [cited[name] for name in dict.fromkeys(row.method for row in table.rows)]
    dimensions = sorted({row.dimension for row in table.rows})
    who = described.groups.get("participant")
    sentences = [
        f"The data were {described.n_rows:,} {described.kind}s about {described.n_objects:,}"
        f" objects{f' by {who:,} participants' if who else ''}.",
        f"Ordinal embeddings by {_listed(methods)} in {_listed(dimensions)}"
        f" {'dimensions' if dimensions != [1] else 'dimension'} were computed with"
        f" {cited['Ordinate']} (version {versions()['ordinate']}).",
        *_validation(findings, cited["cross-validation"]),
    ]
    if sure is not None:
        unit = f"whole groups of {sure.by}" if sure.by else "answers"
        sentences.append(
            f"Uncertainty of the map was estimated from {len(sure.draws_)} bootstrap samples of"
            f" {unit}."
        )
    return " ".join([*sentences, f"The random seed was {plan.seed}."])


def _validation(findings: Findings, how: str) -> list[str]:
    table, accuracy, choice = findings.table, findings.accuracy, findings.choice
    together = f" and whole groups of {table.by}" if table.by else ""
    repeats = f", split {table.repeats} times," if table.repeats > 1 else ""
    several = len(table.rows) > 1
    chosen = (
        f" We chose {choice}: the lowest dimension whose Brier score on held-out answers was"
        f" nearly the lowest (within {100 * NEARLY:.0f}\u00a0% of what the best map explained, 0.25"
        " minus its score), and there the method with the lowest score."
    )
    return [
        f"They were judged by {table.folds}-fold {how}{repeats} in which answers to the same"
        f" question{together} were held out together.{chosen if several else ''}",
        f"Held-out accuracy was {100 * accuracy.share:.1f} % (90 % CI {100 * accuracy.low:.1f} to"
        f" {100 * accuracy.high:.1f}; {findings.held_out.folds}-fold; chance 50 %).",
    ]


def references_of(findings: Findings) -> dict[str, str]:
    """Return the paper behind each method that was tried, then those behind the figures.

    Parameters
    ----------
    findings : Findings
        All figures.

    Returns
    -------
    dict of str to str
        As the methods' own documentation cites them.
    """
    found = {}
    for row in findings.table.rows:
        described = getdoc(METHODS[row.method.split("(")[0]].load()) or ""
        _, _, cited = described.partition("References\n----------\n")
        found[row.method] = " ".join(cited.split("\n\n")[0].split())
    return found | {
        "cross-validation": "Bayle, Bayle, Janson & Mackey, Cross-validation Confidence Intervals"
        " for Test Error, NeurIPS 2020.",
        "Ordinate": f"Ordinate: coordinates from comparisons, version {versions()['ordinate']}.",
    }


def _listed(values: Sequence[object]) -> str:
    """Return such as "a, b and c"."""
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


# ---- figures ----


def _figures(findings: Findings) -> Iterator[tuple[str, str]]:
    """Draw the charts, as addresses that hold the pictures."""
    if findings.uncertainty:
        yield "stability", _uri(plots.plot_stability(findings.uncertainty, most=MOST_LISTED))
    yield "methods", _uri(plots.plot_methods(findings.table))
    yield "learning", _uri(plots.plot_learning_curve(findings.learning))
    yield "margins", _uri(plots.plot_margins(findings.noise.margins))
    if findings.noise.per_group:
        yield "participants", _uri(plots.plot_agreement(findings.noise))
    if findings.people and findings.people.tau_ > 0:
        yield "people", _uri(plots.plot_people(findings.people))


def _uri(axes: Axes) -> str:
    return "data:image/svg+xml;base64," + b64encode(render_for_page(axes)).decode()
