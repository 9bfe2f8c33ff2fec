"""A ranking as one page to attach to a paper: scores, table, fit, methods, how to run it again."""

from __future__ import annotations

import os
from base64 import b64encode
from datetime import date
from hashlib import file_digest
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ordinate import plots
from ordinate._pages import fill_page
from ordinate._versions import versions
from ordinate.io.atomic import atomic_path
from ordinate.plots._figures import render_for_page
from ordinate.plots._ranking import MOST_CELLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.analysis.ranking import RankingStudy
    from ordinate.scales.ranking import Ranking

_SCALES = {
    "logit": "Scores are centred; differences are log odds.",
    "elo": "Scores are Elo ratings: 400 points are odds of ten to one, the mean is 1500.",
    "probability": "Scores are chances to beat the average item.",
}
_REFERENCES = {
    "bradley-terry": "Bradley, R. A. & Terry, M. E. (1952). Rank analysis of incomplete block"
    " designs. Biometrika 39, 324–345.",
    "thurstone": "Thurstone, L. L. (1927). A law of comparative judgment. Psychological Review 34,"
    " 273–286.",
    "davidson": "Davidson, R. R. (1970). On extending the Bradley–Terry model to accommodate ties."
    " Journal of the American Statistical Association 65, 317–328.",
    "rao-kupper": "Rao, P. V. & Kupper, L. L. (1967). Ties in paired-comparison experiments."
    " Journal of the American Statistical Association 62, 194–204.",
    "ranks": "Mogstad, M., Romano, J. P., Shaikh, A. M. & Wilhelm, D. (2024). Inference for ranks."
    " Review of Economic Studies 91, 476–518.",
}


def save_ranking_page(path: Path, source: Path, study: RankingStudy, *, command: str) -> None:
    """Write the page, whole or not at all."""
    model, level, check, cells = study.model, study.level, study.check, study.cells()
    page = fill_page(
        "ordinate.analysis",
        "ranking.html",
        name=source.name,
        style=(files("ordinate.results") / "page" / "result.css").read_text("utf-8"),
        headline=study.headline(),
        today=date.today().isoformat(),
        ranking=_uri(study.draw()),
        wins=_uri(plots.plot_wins(model)) if model.n_objects_ <= MOST_CELLS else None,
        level=f"{level:.0%}",
        error=f"{1 - level:.0%}",
        scale=_SCALES[study.scale],
        notes=model.notes_,
        cells=[[item, rank, *rest] for rank, item, *rest in cells],  # the item heads its row
        apart="level with" in cells[0],
        check=[] if check is None else str(check).splitlines(),
        paragraph=_paragraph(model, level),
        references=[_REFERENCES[key] for key in _cited(model)],
        command=command,
        files=_files(source),
    )
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _paragraph(model: Ranking, level: float) -> str:
    """Return what was done, in words for a methods section."""
    noise = {"bradley-terry": "Bradley–Terry", "thurstone": "Thurstone (Case V)"}[model.model]
    ties = {"davidson": "Davidson", "rao-kupper": "Rao and Kupper"}.get(model.ties_)
    said = [f"Scores were estimated with a {noise} model"]
    if ties is not None and model.tie_ is not None:
        said.append(f" with ties after {ties}")
    if model.side_ is not None:
        said.append(f" and an advantage of {model.side_:.2f} for the side shown first")
    said.append(".")
    if model.prior_ is not None:
        said.append(
            f" Scores had a Gaussian prior with a standard deviation of {model.prior_:.2f},"
            " estimated by the marginal likelihood."
        )
    errors = {
        "answers": "the curvature of the likelihood, taking answers as independent",
        "judges": "a sandwich estimator that keeps the answers of each judge together",
        "bootstrap": "200 bootstrap resamples of whole judges",
    }[model.errors_]
    said.append(f" Intervals ({level:.0%}) follow from {errors}.")
    said.append(" Ranks and groups hold simultaneously for all items.")
    version = versions(["ordinate"])["ordinate"] or "development version"
    said.append(f" Computed with Ordinate {version}.")
    return "".join(said)


def _cited(model: Ranking) -> list[str]:
    ties = [model.ties_] if model.ties_ in _REFERENCES and model.tie_ is not None else []
    return [model.model, *ties, "ranks"]


def _files(source: Path) -> str:
    if not os.path.isfile(source):
        return ""
    with source.open("rb") as file:
        return f"SHA-256 of {source.name}: {file_digest(file, 'sha256').hexdigest()}"


def _uri(axes: Axes) -> str:
    return "data:image/svg+xml;base64," + b64encode(render_for_page(axes)).decode()
