"""
What the parameters of WeightedTETE do
======================================

Each map shows the same 450 scanned digits, with one parameter changed. Colours are digits, which
the method does not see. The title gives the trustworthiness (are neighbours on the map neighbours
in the data?) and the share of random triplets preserved (global structure).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import ordinate as od

X, digits = load_digits(return_X_y=True)
X, digits = X[::4], digits[::4].astype(str)


def draw(parameter, values):
    """Draw one map for each value of a parameter."""
    _, axes = plt.subplots(1, len(values), figsize=(3.2 * len(values), 3.6), layout="tight")
    for ax, value in zip(axes, values, strict=True):
        embedding = od.WeightedTETE(random_state=0, **{parameter: value}).fit_transform(X)
        quality = od.metrics.map_quality(X, embedding, random_state=0)
        od.plots.plot_map(embedding, labels=digits, ax=ax).get_legend().remove()
        shown = f'"{value}"' if isinstance(value, str) else value
        ax.set_title(
            f"{parameter} = {shown}\ntrust {quality.trustworthiness:.3f},"
            f" triplets {quality.triplets:.3f}",
            fontsize=9,
        )
    plt.show()


# %%
# Number of neighbours: few spread the digits out, many pull each digit together.

draw("n_neighbors", [3, 10, 30, 90])

# %%
# Global structure: with 0 it comes from the start alone; a large weight preserves more random
# triplets, at the cost of neighbours.

draw("global_weight", [0, 4, 16, 64])

# %%
# Margin: with 1, the loss of the paper, digits are diffuse; a larger margin makes them denser.

draw("margin", [1, 4, 16])

# %%
# Weights of the neighbours: 1/r for the r-th, or those of the paper.

draw("weights", ["rank", "published"])

# %%
# Iterations: a quarter of the default gives most of the map.

draw("max_iter", [25, 125, 500])

# %%
# The metric that defines neighbours.

draw("metric", ["euclidean", "cosine", "manhattan"])
