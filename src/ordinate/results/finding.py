"""A finding: one figure with its interval and the sentence that says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["fact", "advice", "warning"]
Section = Literal["result", "choice", "data", "trust", "people", "more", "methods"]


@dataclass(frozen=True)
class Finding:
    """One statement, made where its figure is computed; text, JSON and pages show it."""

    key: str
    """The name in JSON; stable between versions."""
    value: Any = None
    text: str = ""
    """A plain sentence with the figure in it; empty for what only machines read."""
    low: float | None = None
    high: float | None = None
    unit: str = ""
    """Such as share, count or seconds."""
    kind: Kind = "fact"
    section: Section = "result"

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of JSON: the value and, where there is one, its interval."""
        if self.kind != "fact":
            return {}
        found = {self.key: self.value}
        if self.low is not None and self.high is not None:
            found[f"{self.key}_interval"] = [self.low, self.high]
        return found


def in_sentences(
    key: str, value: Any, sentences: Sequence[str], section: Section
) -> Iterator[Finding]:
    """Yield figures that take several sentences; the first has them all."""
    for number, sentence in enumerate(sentences):
        if number == 0:
            yield Finding(key, value, sentence, section=section)
        else:
            yield Finding(f"{key}_note", None, sentence, section=section)
