"""Cells of an AnnData object are mapped in place."""

from types import SimpleNamespace

import numpy as np
import pytest

import ordinate as od

CELLS = np.random.default_rng([41, 1]).normal(size=(50, 6)).astype(np.float32)


def adata():
    return SimpleNamespace(X=CELLS, obsm={}, uns={})


def test_the_map_is_that_of_the_estimator():
    cells = adata()
    model = od.embed_anndata(cells, od.WeightedTETE(3, random_state=1))
    np.testing.assert_array_equal(cells.obsm["X_ordinate"], model.embedding_)
    direct = od.WeightedTETE(3, random_state=1).fit_transform(CELLS)
    np.testing.assert_array_equal(cells.obsm["X_ordinate"], direct)
    assert cells.uns["ordinate"]["use_rep"] == "X"


def test_principal_components_are_used_where_they_are():
    cells = adata()
    cells.obsm["X_pca"] = CELLS[:, :3]
    assert od.embed_anndata(cells, key_added="X_map").n_features_in_ == 3
    assert set(cells.obsm) == {"X_pca", "X_map"}
    assert od.embed_anndata(cells, use_rep="X").n_features_in_ == 6


def test_what_is_missing_is_named():
    with pytest.raises(od.InputError, match="no 'X_scvi' in obsm, which holds nothing"):
        od.embed_anndata(adata(), use_rep="X_scvi")
    with pytest.raises(od.InputError, match="Expected an AnnData object; got ndarray"):
        od.embed_anndata(CELLS)


@pytest.mark.filterwarnings("ignore")  # of anndata, about pandas
def test_a_real_object_is_sliced_with_its_map():
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(CELLS)
    od.embed_anndata(cells)
    some = cells[10:20].copy()
    np.testing.assert_array_equal(some.obsm["X_ordinate"], cells.obsm["X_ordinate"][10:20])
    assert some.uns["ordinate"]["n_components"] == 2
