"""
A loss of your own
==================

A loss is a function of two squared distances, near and far, that returns its value and its two
partial derivatives. Write it with NumPy; Ordinate compiles it and supplies start, solver and GPU.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od


def huber(near2, far2):
    """Cost the missing margin: squared up to 1, linear beyond, so that errors weigh less."""
    near, far = np.sqrt(near2), np.sqrt(far2)
    missing = np.maximum(1.0 + near - far, 0.0)
    cost = np.where(missing < 1.0, 0.5 * missing**2, missing - 0.5)
    slope = 0.5 * np.minimum(missing, 1.0)
    return cost, slope / np.maximum(near, 1e-150), -slope / np.maximum(far, 1e-150)


cities = od.datasets.load_cities(20_000, random_state=0)
model = od.OrdinalEmbedding(loss=huber, n_components=2, random_state=0).fit(cities.comparisons)
print(f"agrees with {model.score(cities.comparisons):.1%} of the answers")

# %%
# The map it makes of European cities, coloured by region:

points = od.metrics.procrustes_align(model.embedding_, cities.points)
fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.scatter(*points.T, c=cities.labels, cmap="tab10", s=45)
ax.set_aspect("equal")
ax.axis("off")
plt.show()
