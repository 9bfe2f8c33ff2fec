"""What every estimator that makes a map has in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent
from typing import Any, TypeVar

from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import as_frame, check_integer, check_real
from ordinate._notebooks import map_as_html
from ordinate._random import RandomState

_T = TypeVar("_T")


class EmbeddingMixin:
    """Gives an estimator with `embedding_` and `names_` the methods that all of them have."""

    embedding_: NDArray[Any]
    names_: Sequence[Hashable] | None

    @property
    def _is_dot(self) -> bool:
        """Whether objects are as alike as the dot product of their coordinates."""
        return False

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[Any]:
        """Fit, and return the coordinates.

        Parameters
        ----------
        X, y
            As for `fit`.
        **fit_params
            Further parameters of `fit`, such as `sample_weight`.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
            A copy of `embedding_`, which may be written to.
        """
        self.fit(X, y, **fit_params)  # type: ignore[attr-defined]
        return self.embedding_.copy()

    def to_frame(self) -> Any:
        """Return the coordinates as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row per object, indexed by its name (or number), with the columns ``x1``,
            ``x2``, …. Without pandas, a PyArrow table with the index as columns.
        """
        check_is_fitted(self)
        index = self._object_index()
        axes = {f"x{axis}": values for axis, values in enumerate(self.embedding_.T, 1)}
        return as_frame(index | axes, list(index))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks show: scikit-learn's box and, after a fit, the map."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in shown:
            shown["text/html"] += self._map_html()
        return shown

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """What shows the same where only HTML is known, such as in galleries."""
        if get_config()["display"] != "diagram":
            raise AttributeError("scikit-learn is set to show estimators as text")
        return lambda: estimator_html_repr(self) + self._map_html()

    def _map_html(self) -> str:
        if not hasattr(self, "embedding_"):
            return ""
        return map_as_html(self.embedding_, getattr(self, "names_", None))

    def _object_index(self) -> dict[str, Any]:
        """Return the columns by which to_frame names the rows."""
        named = range(len(self.embedding_)) if self.names_ is None else self.names_
        return {"object": list(named)}


@dataclass(eq=False, repr=False, kw_only=True)
class Runs:
    """The seed, the threads and the progress bar of a fit."""

    random_state: RandomState = None
    n_jobs: int | None = -1
    verbose: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class Iterates(Runs):
    """What every fit has that takes steps until it has converged."""

    max_iter: int = 1000
    tol: float = 1e-4

    def _check_steps(self) -> None:
        check_integer("max_iter", self.max_iter, minimum=1)
        check_real("tol", self.tol, minimum=0)


def sharing(text: str) -> Callable[[type[_T]], type[_T]]:
    """Return a class decorator that puts `text` where the docstring says ``{shared}``."""

    def fill_in(cls: type[_T]) -> type[_T]:
        if cls.__doc__ is not None:  # python -OO strips docstrings
            # since Python 3.13 the compiler takes the indentation away
            cls.__doc__ = cleandoc(cls.__doc__).replace("\n{shared}\n", dedent(text))
        return cls

    return fill_in
