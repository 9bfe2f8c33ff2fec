"""What every estimator that makes a map has in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from inspect import cleandoc
from textwrap import dedent
from typing import Any, TypeVar

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import import_pandas
from ordinate._notebooks import map_as_html

_T = TypeVar("_T")


class EmbeddingMixin:
    """Gives an estimator with `embedding_` and `names_` the methods that all of them have.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates.
    names_ : sequence or None
        One name per object, or None where objects only have numbers.
    """

    embedding_: NDArray[Any]
    names_: Sequence[Hashable] | None

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
        """Return the coordinates as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            One row per object, indexed by its name (or number), with the columns ``x1``,
            ``x2``, ….
        """
        check_is_fitted(self)
        pd = import_pandas()
        axes = [f"x{axis}" for axis in range(1, self.embedding_.shape[1] + 1)]
        frame = pd.DataFrame(self.embedding_, index=self._object_index(), columns=axes)
        return frame.rename_axis(index="object") if frame.index.nlevels == 1 else frame

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks show: scikit-learn's box and, after a fit, the map."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in shown:
            shown["text/html"] += self._map_html()
        return shown

    def _repr_html_inner(self) -> str:
        """Return the same for what knows only HTML, such as galleries."""
        box: str = super()._repr_html_inner()  # type: ignore[misc]
        return box + self._map_html()

    def _map_html(self) -> str:
        if not hasattr(self, "embedding_"):
            return ""
        return map_as_html(self.embedding_, getattr(self, "names_", None))

    def _object_index(self) -> Any:
        """Return what to_frame calls the rows; None for their numbers."""
        return None if self.names_ is None else list(self.names_)


def sharing(text: str) -> Callable[[type[_T]], type[_T]]:
    """Return a class decorator that puts `text` where the docstring says ``{shared}``.

    Parameters
    ----------
    text : str
        Sections of a docstring, indented as in a class body.

    Returns
    -------
    callable
        The decorator.
    """

    def fill_in(cls: type[_T]) -> type[_T]:
        if cls.__doc__ is not None:  # python -OO strips docstrings
            # since Python 3.13 the compiler takes the indentation away
            cls.__doc__ = cleandoc(cls.__doc__).replace("\n{shared}\n", dedent(text))
        return cls

    return fill_in
