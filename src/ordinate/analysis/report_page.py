"""Writes what an analysis found as one page."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import file_digest
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING

from ordinate import plots
from ordinate._pages import fill_page
from ordinate._versions import versions
from ordinate.analysis.paragraph import methods_paragraph, references_of
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import coordinate_columns, write_csv
from ordinate.plots._figures import figure_of, new_axes, render_for_page
from ordinate.plots._labels import shorten_names
from ordinate.plots._map import SIDES

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from ordinate.analysis.findings import Findings
    from ordinate.results.object_display import ObjectDisplay
    from ordinate.results.provenance import Provenance
    from ordinate.selection._method_table import MethodTable

MOST_LISTED = 30
"""Rows of a table or a chart that a reader goes through."""

_BESIDE = 3.6
"""Width in inches of one of two maps beside each other."""
_PHONE = 4.4
"""Width in inches of a map whose letters a phone does not make too small."""


def save_page(
    path: str | os.PathLike[str], findings: Findings, provenance: Provenance, look: ObjectDisplay
) -> None:
    """Write the page, whole or not at all."""
    page = write_page(findings, provenance, look)
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


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


def others_in_words(table: MethodTable) -> str:
    """Say how many of the maps that were not chosen predict as well, or better; empty if none."""
    found = {"as well": len(table.tied), "slightly better": len(table.better)}
    found = {words: n for words, n in found.items() if n}
    n_others = len(table.rows) - 1
    if not found:
        return ""
    (first, n), *more = found.items()
    subject = "the other one tried" if n_others == 1 else f"{n} of the {n_others} others tried"
    rest = "".join(f" and {n} {words}" for words, n in more)
    return f"{subject} predict{'s' * (n == 1)} {first}{rest}"


def write_page(findings: Findings, provenance: Provenance, look: ObjectDisplay) -> str:
    """Fill in the page."""
    drawn = _draw_map(findings, look)
    choice = findings.table.choice
    method = type(choice.estimator).__name__
    pictures = dict(_figures(findings)) | {"map": _uri(drawn.axes[0])}
    return fill_page(
        "ordinate.analysis",
        "report.html",
        style=(files("ordinate.results") / "page" / "result.css").read_text(encoding="utf-8"),
        sections=SECTIONS,
        name=provenance.name,
        checksums={path.name: _checksum(path) for path in provenance.files if path.is_file()},
        notes=provenance.notes,
        today=date.today().isoformat(),
        findings=findings,
        method=method,
        settings="" if choice.method == method else choice.method,
        participants_known="participant" in findings.analysis.description.groups,
        ties=findings.table.tied,
        better=findings.table.better,
        others=others_in_words(findings.table),
        figures=pictures,
        narrow_map=_uri(drawn.narrow) if drawn.narrow else "",
        views=_views(drawn),
        unnamed=_unnamed(drawn),
        most_listed=MOST_LISTED,
        short=dict(zip(drawn.names, shorten_names(drawn.names), strict=True)),
        interactive=_interactive(findings, look),
        participants=findings.noise.per_group[:MOST_LISTED],
        text=methods_paragraph(findings, provenance.readings),
        references=list(dict.fromkeys(references_of(findings).values())),
        coordinates=_coordinates(findings),
        commands=provenance.commands,
        seed=findings.analysis.plan.seed,
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
    answers = findings.analysis.answers
    return [str(name) for name in answers.names or range(answers.n_objects)]


def _draw_map(findings: Findings, look: ObjectDisplay) -> _DrawnMap:
    names, sure = _names(findings), findings.uncertainty
    labels = look.columns[look.color] if look.color else None
    if findings.analysis.points.shape[1] != 3:

        def draw(ax: Axes | None = None) -> Axes:
            return plots.plot_map(
                findings.analysis.points, names, labels, ax, images=look.images, uncertainty=sure
            )

        wide = draw()
        width, height = figure_of(wide).get_size_inches()
        return _DrawnMap([wide], names, draw(new_axes(_PHONE, _PHONE * height / width)))
    drawn = []
    for dimensions in SIDES:
        ax = plots.plot_map(
            findings.analysis.points,
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


def _interactive(findings: Findings, look: ObjectDisplay) -> str:
    """Return the map to explore, in a frame."""
    return plots.plot_interactive_map(
        findings.analysis.points,
        _names(findings),
        look.columns,
        color=look.color,
        images=look.images,
        uncertainty=findings.uncertainty,
        title=str(findings.table.choice),
    )._repr_html_()


def _coordinates(findings: Findings) -> str:
    """Return the table of coordinates as an address that holds it."""
    table = BytesIO()
    write_csv(coordinate_columns(findings.analysis.points, _names(findings)), table)
    return "data:text/csv;base64," + b64encode(table.getvalue()).decode()


# ---- figures ----


def _figures(findings: Findings) -> Iterator[tuple[str, str]]:
    """Draw the charts, as addresses that hold the pictures."""
    if findings.uncertainty:
        yield "stability", _uri(plots.plot_stability(findings.uncertainty, most=MOST_LISTED))
    yield "methods", _uri(plots.plot_methods(findings.table))
    yield "learning", _uri(plots.plot_learning_curve(findings.learning))
    yield "margins", _uri(plots.plot_margins(findings.noise.margins))
    if findings.without is not None:
        for name, points in (
            ("all", findings.analysis.points),
            ("without", findings.without.points),
        ):
            drawn = plots.plot_map(points[:, :2], _names(findings), ax=new_axes(_BESIDE, _BESIDE))
            yield f"map_{name}", _uri(drawn)
    if findings.noise.per_group:
        yield "participants", _uri(plots.plot_agreement(findings.noise))
    if findings.people and findings.people.weights_shown:
        yield "people", _uri(plots.plot_people(findings.people.model))


def _uri(axes: Axes) -> str:
    return "data:image/svg+xml;base64," + b64encode(render_for_page(axes)).decode()
