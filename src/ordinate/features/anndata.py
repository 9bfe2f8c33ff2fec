"""Maps of cells: AnnData in and out."""

from __future__ import annotations

from typing import Any

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate.features.weighted_tete import WeightedTETE

_USUAL = "X_pca"
"""What scanpy computes before it draws a map."""


def embed_anndata(
    adata: Any,
    estimator: WeightedTETE | None = None,
    *,
    use_rep: str | None = None,
    key_added: str = "X_ordinate",
) -> WeightedTETE:
    """Map the cells of an AnnData object, and keep the map in its `obsm`, where scanpy plots it.

    Parameters
    ----------
    adata : anndata.AnnData
        The cells. Its `obsm` and `uns` each get an entry; nothing else is changed.
    estimator : WeightedTETE, optional
        How to map; by default ``WeightedTETE(2, random_state=0)``. It is fitted.
    use_rep : str, optional
        A key of `obsm`, or ``"X"`` for the matrix itself. By default ``"X_pca"`` if it is there,
        else ``"X"``.
    key_added : str, default="X_ordinate"
        Under which key of `obsm` the map is kept. scanpy leaves out the ``X_`` when it plots:
        ``sc.pl.embedding(adata, basis="ordinate")``.

    Returns
    -------
    WeightedTETE
        The fitted estimator; its `transform` places new cells.

    See Also
    --------
    WeightedTETE : What makes the map.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np, ordinate as od
    >>> cells = np.random.default_rng(0).normal(size=(60, 5))
    >>> adata = SimpleNamespace(X=cells, obsm={}, uns={})  # or an AnnData object
    >>> fitted = od.embed_anndata(adata)
    >>> adata.obsm["X_ordinate"].shape
    (60, 2)
    """
    for part in ("X", "obsm", "uns"):
        if not hasattr(adata, part):
            raise InputError(
                f"Expected an AnnData object; got {type(adata).__name__}. Pass arrays and frames to"
                " WeightedTETE().fit_transform."
            )
    used = use_rep or (_USUAL if _USUAL in adata.obsm else "X")
    if used != "X" and used not in adata.obsm:
        listed = ", ".join(map(repr, adata.obsm.keys())) or "nothing"
        raise InputError(
            f"There is no {used!r} in obsm, which holds {listed}; pass {argument('use_rep', 'X')}"
            " for the matrix itself."
        )
    model = WeightedTETE(2, random_state=0) if estimator is None else estimator
    adata.obsm[key_added] = model.fit(adata.X if used == "X" else adata.obsm[used]).embedding_
    adata.uns["ordinate"] = {
        "method": type(model).__name__,
        "use_rep": used,
        "key_added": key_added,
        "n_components": model.n_components,
    }
    return model
