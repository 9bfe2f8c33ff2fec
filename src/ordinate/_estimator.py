"""What every estimator has in common: scikit-learn's contract, the map, the steps of a fit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, cleandoc, isclass, signature
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, runtime_checkable

from numpy.typing import NDArray

from ordinate._checks import as_frame, check_integer, check_real
from ordinate._notebooks import map_as_html
from ordinate._random import RandomState

_T = TypeVar("_T")


@runtime_checkable
class Estimator(Protocol):
    """Any estimator, ours or one that inherits from scikit-learn's base."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""

    def set_params(self, **params: Any) -> Any:
        """Set parameters by their names."""


class BaseEstimator:
    """What scikit-learn asks of an estimator, without its import, which takes half a second.

    Parameters are those of the constructor; `clone`, pipelines, searches and scikit-learn's own
    checks work. Its tools are imported when they are asked for.
    """

    if TYPE_CHECKING:  # attributes that a fit sets

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names of the constructor's parameters, in alphabetical order."""
        found = list(signature(cls.__init__).parameters.values())[1:]
        return sorted(p.name for p in found if p.kind is not Parameter.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add the parameters of parameters that are estimators, as ``a__b``.

        Returns
        -------
        dict
            Values by name.
        """
        own = {name: getattr(self, name) for name in self._get_param_names()}
        inner = [
            (f"{name}__{key}", value)
            for name, estimator in own.items()
            if deep and hasattr(estimator, "get_params") and not isclass(estimator)
            for key, value in estimator.get_params().items()
        ]
        return own | dict(inner)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by their names.

        Parameters
        ----------
        **params
            Values; ``a__b`` sets the parameter b of the estimator a.

        Returns
        -------
        self
            The estimator.
        """
        valid = self._get_param_names()
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in valid:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are:"
                    f" {valid!r}."
                )
            if inner:
                getattr(self, name).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = signature(type(self).__init__).parameters
        given = (
            f"{name}=array{value.shape}" if getattr(value, "ndim", 0) else f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags() if hasattr(self, "transform") else None,
        )

    def get_metadata_routing(self) -> Any:
        """Return which further arguments of `fit` and `score` scikit-learn shall pass on.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            What `set_fit_request` and `set_score_request` asked for.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):  # the name by which scikit-learn clones it
            return copy.deepcopy(self._metadata_request)
        request = MetadataRequest(owner=self)
        for method in ("fit", "score"):
            taken = signature(getattr(self, method, lambda: None)).parameters.values()
            for name in [p.name for p in taken if p.kind is not Parameter.VAR_KEYWORD][2:]:
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Say which further arguments of `fit` scikit-learn shall pass on, such as weights.

        Parameters
        ----------
        **requests
            By argument: True, False, None for an error if it is given, or another name of it.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("fit", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Say the same of `score`.

        Parameters
        ----------
        **requests
            As for `set_fit_request`.

        Returns
        -------
        self
            The estimator.
        """
        return self._request("score", requests)

    def _request(self, method: str, requests: Mapping[str, bool | str | None]) -> Self:
        routing = self.get_metadata_routing()
        for name, alias in requests.items():
            getattr(routing, method).add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return what notebooks show: scikit-learn's box, if it is set to show one."""
        shown = {"text/plain": repr(self)}
        html = getattr(self, "_repr_html_", None)
        return shown if html is None else shown | {"text/html": html()}

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """What shows the same where only HTML is known, such as in galleries."""
        from sklearn import get_config
        from sklearn.utils import estimator_html_repr

        if get_config()["display"] != "diagram":
            raise AttributeError("scikit-learn is set to show estimators as text")
        return lambda: estimator_html_repr(self) + self._map_html()

    def _map_html(self) -> str:
        """Return what is shown below the box."""
        return ""


def clone(estimator: Any) -> Any:
    """Return an unfitted estimator with copies of the parameters; arrays, never changed, stay."""
    if not isinstance(estimator, BaseEstimator):
        from sklearn.base import clone as clone_other

        return clone_other(estimator)
    parameters = {
        name: clone(value)
        if hasattr(value, "get_params") and not isclass(value)
        else value
        if hasattr(value, "__array__")
        else copy.deepcopy(value)
        for name, value in estimator.get_params(deep=False).items()
    }
    return type(estimator)(**parameters)


def check_is_fitted(estimator: Any) -> None:
    """Raise scikit-learn's error unless an estimator has an attribute that a fit gives it."""
    if any(name.endswith("_") and not name.startswith("__") for name in vars(estimator)):
        return
    from sklearn.exceptions import NotFittedError

    raise NotFittedError(
        f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate"
        " arguments before using this estimator."
    )


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
