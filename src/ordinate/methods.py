"""One row per method: what it is called, what it takes and what it can do.

Verbs, `compare`, help texts, tests and documentation read this table, so a new method is offered
everywhere once its row is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

from ordinate._checks import check_choice

Input: TypeAlias = Literal[
    "comparisons", "graph", "ratings", "features", "comparisons and features", "people", "trials"
]


@dataclass(frozen=True)
class Method:
    """A method and its capabilities."""

    name: str
    module: str
    summary: str
    takes: Input = "comparisons"
    is_kernel: bool = False
    has_starts: bool = False
    has_device: bool = False
    is_comparable: bool = False

    def load(self) -> Any:
        """Import and return the class."""
        return getattr(import_module(f"ordinate.{self.module}"), self.name)


def _triplet_method(name: str, module: str, summary: str) -> Method:
    return Method(name, module, summary, has_starts=True, has_device=True, is_comparable=True)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _triplet_method("SOE", "triplets.soe", "Soft ordinal embedding: a squared hinge."),
        _triplet_method("GNMDS", "triplets.gnmds", "Generalized non-metric MDS: a hinge."),
        _triplet_method("CKL", "triplets.ckl", "Crowd kernel learning: ratios of distances."),
        _triplet_method("STE", "triplets.ste", "Stochastic triplet embedding: logistic."),
        _triplet_method("TSTE", "triplets.tste", "t-STE: stochastic, with heavy tails."),
        _triplet_method("TETE", "triplets.tete", "t-ETE: robust to wrong answers."),
        Method(
            "LORE",
            "triplets.lore",
            "Low rank: the fit chooses the dimension.",
            has_starts=True,
            has_device=True,
        ),
        Method("DMOE", "gram.dmoe", "Gram matrix by a convex problem.", is_comparable=True),
        Method("GramEmbedding", "gram.gram_embedding", "Gram matrix under any loss."),
        Method("PosteriorGram", "gram.posterior_gram", "Mean Gram matrix; for few answers."),
        Method(
            "WeightedSpaces",
            "people.weighted_spaces",
            "One map, own weights of its axes for everybody.",
            takes="people",
        ),
        Method(
            "GroupMaps",
            "people.group_maps",
            "Groups of people with a map each.",
            takes="people",
            has_starts=True,
        ),
        Method(
            "MTE",
            "people.mte",
            "Several views in answers that do not say which.",
            takes="people",
            has_starts=True,
        ),
        Method(
            "SparseDimensions",
            "dimensions.sparse_dimensions",
            "Sparse, non-negative dimensions that people can name.",
            takes="trials",
            has_device=True,
        ),
        Method("K1", "kernels._kernels", "Triplet kernel of shared rankings.", is_kernel=True),
        Method("K2", "kernels._kernels", "Triplet kernel of shared positions.", is_kernel=True),
        Method("LOE", "graphs.loe", "Local ordinal embedding of a graph.", takes="graph"),
        Method(
            "GraphTSTE",
            "graphs.graph_tste",
            "Neighbours of networks.",
            takes="graph",
            has_device=True,
        ),
        Method(
            "GraphStress", "graphs.graph_stress", "Readable drawing of a network.", takes="graph"
        ),
        Method("COE", "ratings.coe", "Co-embedding of users and items.", takes="ratings"),
        Method("CFEE", "ratings.cfee", "Factorization turned into distances.", takes="ratings"),
        Method("BPRPlus", "ratings.bprplus", "Ranking factors with two views.", takes="ratings"),
        Method("CODE", "ratings.code", "Co-occurrence embedding of counts.", takes="ratings"),
        Method(
            "WeightedTETE",
            "features.weighted_tete",
            "Map of feature vectors.",
            takes="features",
            has_device=True,
        ),
        Method(
            "FeatureEmbedding",
            "features.feature_embedding",
            "Answers and features together; places objects nobody asked about.",
            takes="comparisons and features",
            has_device=True,
        ),
    )
}
"""All methods by name, in the order in which they are listed."""


SHORT_NAMES = {"stress": "GraphStress"}
"""The field's own words for some methods."""


def names_of(**capabilities: Any) -> tuple[str, ...]:
    """Return the names of the methods that have all the given capabilities."""
    return tuple(
        method.name
        for method in METHODS.values()
        if all(getattr(method, name) == value for name, value in capabilities.items())
    )


def load_method(name: str, **capabilities: Any) -> Any:
    """Return the class of a method, or refuse a name that has not the given capabilities."""
    name = SHORT_NAMES.get(name, name)
    return METHODS[check_choice("method", name, names_of(**capabilities))].load()
