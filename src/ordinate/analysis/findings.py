"""What an analysis says: statements with their figures, made once for text, JSON and page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ordinate._arguments import argument
from ordinate._notebooks import in_dimensions
from ordinate.analysis.paragraph import methods_paragraph, references_of
from ordinate.comparisons.pairs import counted
from ordinate.results.finding import Finding, in_sentences
from ordinate.selection import MethodTable
from ordinate.selection._method_table import GUESSING, not_sure_to_predict
from ordinate.selection._noise import retest_agreement
from ordinate.solvers.intervals import CONFIDENCE
from ordinate.verbs.answers import pooled_conditions
from ordinate.verbs.machines_on_map import LEVEL

if TYPE_CHECKING:
    from ordinate.analysis.analysis import Analysis
    from ordinate.uncertainty import MapUncertainty

_MOST_LISTED = 5
"""Objects whose stable neighbours are named."""
_SAME_MAP = 0.05
"""Procrustes distance up to which a map is said to stay the same."""


def findings_of(analysis: Analysis) -> Iterator[Finding]:
    """Yield everything that is known of an analysis so far, the most important first."""
    yield from _map(analysis)
    yield from _data(analysis)
    yield from _choice(analysis)
    yield from _trust(analysis)
    yield from _people(analysis)
    yield from _more(analysis)
    if analysis.is_complete:
        text = methods_paragraph(analysis, analysis.provenance.readings)
        yield Finding("methods", text, text, section="methods")
        papers = list(dict.fromkeys(references_of(analysis).values()))
        listed = "\n".join(f"[{number}] {paper}" for number, paper in enumerate(papers, 1))
        yield Finding("references", papers, listed, section="methods")


def _map(analysis: Analysis) -> Iterator[Finding]:
    """Yield what the map predicts, and what to do if that is little."""
    error, made = analysis.error, f"{analysis.method} in {in_dimensions(analysis.dimension)}"
    text, accuracy = f"Map by {made}; its error was not measured.", None
    if error:
        accuracy = {"share": 1 - error.error, "low": 1 - error.high, "high": 1 - error.low}
        text = (
            f"The map, by {made}, predicts {accuracy['share']:.1%} of new answers ({CONFIDENCE:.0%}"
            f" interval {accuracy['low']:.1%} to {accuracy['high']:.1%}); guessing gives 50%."
        )
    yield Finding("accuracy", accuracy, text)
    direction = analysis.direction
    if direction is not None:
        said = f"Near and far may have been exchanged. {direction}" if direction.is_reversed else ""
        yield Finding("near_and_far_exchanged", direction.is_reversed, said)
    yield Finding("method", analysis.method)
    yield Finding("dimension", analysis.dimension)
    yield Finding("seed", analysis.plan.seed)
    yield Finding("seconds", analysis.seconds, unit="seconds")
    if error and error.high >= 0.5:
        text = (
            "These answers carry no map that surely predicts better than guessing: do not rely on"
            " it. Check how the file was read, or collect more answers."
        )
        yield Finding("guessing", text=text, kind="warning")
    elif error and error.error >= GUESSING:
        text = "The map hardly predicts new answers (guessing gives 50%): do not rely on it."
        yield Finding("guessing", text=text, kind="warning")
    elif error and error.high >= GUESSING:
        yield Finding("guessing", text=not_sure_to_predict(error.high), kind="warning")


def _data(analysis: Analysis) -> Iterator[Finding]:
    """Yield what is in the answers, which error to expect of more, and what to do."""
    data = analysis.description
    who = data.groups.get("participant")
    text = (
        f"{data.n_rows:,} {data.kind}s about {data.n_objects:,} objects"
        f"{f' by {who:,} participants' if who else ''}; contradictions:"
        f" {counted(data.n_contradictions, 'pair')} of answers."
    )
    if data.never_seen:
        text += f" Never compared: {data.listed(data.never_seen)}."
    yield Finding("answers", data.to_dict(), text, section="data")
    groups = analysis.kept("by group")
    if groups is not None:
        yield Finding("by", groups.to_dict(), str(groups), section="people")
    elif pooled := pooled_conditions(analysis.answers.groups):
        yield Finding("pooled", text=pooled, kind="warning", section="data")
    retest = retest_agreement(analysis.answers)
    if retest is not None:
        yield Finding("retest", retest.to_dict(), str(retest), section="data")
    curve = analysis.kept("learning curve")
    if curve is not None:
        yield Finding("forecast", curve.to_dict())
    features = analysis.feature_figures
    yield Finding("features", features and vars(features), str(features or ""), section="data")
    if features is not None and features.gain:
        yield Finding("feature_gain", features.helped, features.gain, section="data")
        listed = list(features.disagreeing)
        yield Finding("feature_disagreement", listed, features.disagreement, section="data")
    for text in _advice(analysis):
        yield Finding("advice", text=text, kind="advice", section="data")
    if analysis.is_complete and analysis.noise().repeated.n_pairs:
        repeated = analysis.noise().repeated
        yield Finding("repeated", asdict(repeated), f"{_capital(str(repeated))}.", section="data")


def _advice(analysis: Analysis) -> Iterator[str]:
    data = analysis.description
    if data.never_seen and analysis.feature_figures is None:
        yield "Objects never compared have arbitrary coordinates: leave them out."
    if data.n_parts > 1:
        yield f"The answers fall into {data.n_parts} unconnected parts: ask across them."


def _choice(analysis: Analysis) -> Iterator[Finding]:
    """Yield how method and dimension were chosen."""
    table = analysis.choice or analysis.kept("comparison")
    yield Finding("choice", analysis.choice and analysis.choice.to_dict())
    if table is None:
        return
    text = _choice_in_words(table) if analysis.choice else table.advice
    yield Finding("comparison", table.to_dict(), text, section="choice")
    if analysis.choice and table.edge:
        yield Finding("edge", text=table.edge, kind="advice", section="choice")


def _choice_in_words(table: MethodTable) -> str:
    n_methods = len({row.method for row in table.rows})
    n_dimensions = len({row.dimension for row in table.rows})
    tried = f"{n_methods} methods × {n_dimensions} dimensions"
    if n_methods == 1:
        tried = f"{n_dimensions} dimensions"
    elif n_dimensions == 1:
        tried = f"{n_methods} methods"
    how = f"{table.folds}-fold cross-validation"
    if table.n_folds_held_out < table.folds:  # of very many answers
        how = f"cross-validation with {table.n_folds_held_out} of {table.folds} folds"
    doubt = f"; {table.doubt}" if table.doubt else ""
    others = others_in_words(table)
    bent = ""
    if table.smallest.dimension < table.choice.dimension:
        bent = (
            f" A line may do as well; more dimensions bend it: try {argument('n_components', 1)}."
        )
    return (
        f"We chose {table.choice} by {how} over {tried}{doubt}."
        f"{f' As far as the answers tell, {others}.' if others else ''}{bent}"
    )


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


def _trust(analysis: Analysis) -> Iterator[Finding]:
    """Yield the errors, wrong answers, structure and uncertainty, as far as they are known."""
    error = analysis.error
    said = f"Held-out error: {error}." if error else "Held-out error: not measured."
    yield Finding("held_out_error", error and error.error, said, section="trust", unit="share")
    yield Finding("held_out_interval", error and [error.low, error.high])
    yield Finding("held_out", error and asdict(error))
    yield Finding("n_held_out", error.n_answers if error else 0)
    yield Finding("folds", error.folds if error else 0)
    yield Finding("split_by", error and error.by)
    train = f"Training error: {analysis.train_error:.1%} of all answers."
    yield Finding("train_error", analysis.train_error, train, section="trust", unit="share")
    noise = analysis.kept("noise")
    if noise is not None:
        doubt = (
            "" if noise.trustworthy else " The maps hardly predict: do not rely on these figures."
        )
        text = (
            f"{_capital(noise.bracket)}. The lapse rate, the share of wrong answers to questions"
            f" that are easy on the map, is about {noise.lapse_rate:.1%}.{doubt}"
        )
        yield Finding("noise", noise.to_dict(), text, section="trust")
    structure = analysis.kept("structure")
    if structure is not None:
        random = structure.p_value > 0.05
        verdict = "the answers may as well be random" if random else "the answers hold structure"
        text = f"{structure}: {verdict}."
        yield Finding("structure_p_value", structure.p_value, text, section="trust")
    sure = analysis.last_uncertainty
    text = str(sure or "")
    if sure is not None and analysis.is_complete:
        text += f"\n{_stable_neighbors(sure)}"
    yield Finding("uncertainty", sure and sure.to_dict(), text, section="trust")


def _stable_neighbors(sure: MapUncertainty) -> str:
    """Name neighbours that nearly all maps agree on."""
    stable = sure.stable_neighbors()
    named = [f"{one} – {', '.join(near)}" for one, near in list(stable.items())[:_MOST_LISTED]]
    more = f" The table lists all {len(stable)}." if len(stable) > _MOST_LISTED else ""
    return (
        f"Neighbours that stay in {sure.level:.0%} of the maps: {'; '.join(named) or 'none'}.{more}"
    )


def _people(analysis: Analysis) -> Iterator[Finding]:
    """Yield who disagrees with the others, and whether all see one map."""
    noise, people = analysis.kept("noise"), analysis.kept("people")
    if noise is not None and noise.per_group:
        named = [
            one.label + (" (probably reversed)" if "reversed" in one.verdict else "")
            for one in noise.deviating_groups
        ]
        views = people.comparison.participants if people is not None else ()
        nobody = not any(view.verdict for view in views)
        text = "Nobody's answers clearly disagree with those of the others." if nobody else ""
        if named:
            text = f"Participants who disagree with the others: {', '.join(named)}."
        yield Finding(
            "deviating", [one.label for one in noise.deviating_groups], text, section="people"
        )
    without = analysis.kept("without")
    figures: dict[str, Any] | None = None
    text = ""
    if without is not None:
        figures = {"n_answers": without.n_answers, "procrustes_distance": without.distance}
        change = "hardly changes" if without.distance < _SAME_MAP else "changes"
        text = (
            f"Without their answers the map {change}: the Procrustes distance is"
            f" {without.distance:.2f} (0: the same map; 1: nothing in common)."
        )
    if analysis.is_complete:
        yield Finding("without_deviating", figures, text, section="people")
    machines = analysis.kept("machines")
    if machines is not None:
        said = machines.sentences(LEVEL)
        yield from in_sentences("machines", machines.to_dict(), said, "people")
    if people is not None:
        yield Finding(
            "people", people.comparison.to_dict(), str(people.comparison), section="people"
        )


def _more(analysis: Analysis) -> Iterator[Finding]:
    """Yield whether more answers would help."""
    curve = analysis.kept("learning curve")
    if curve is not None:
        rule = ' We say "hardly" below one point, and "might" if the interval includes one.'
        text = f"{curve.advice}{rule * (curve.verdict != 'unknown')}"
        yield Finding("learning", curve.to_dict(), text, section="more")


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
