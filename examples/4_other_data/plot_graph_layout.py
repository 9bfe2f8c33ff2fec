"""
Draw a graph so that neighbours are nearest
===========================================

LOE places every neighbour of an object nearer than all other objects. From a directed
k-nearest-neighbour graph it preserves density, which most graph layouts lose: objects that are
crowded in the data are crowded on the map.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
dense, sparse = 0.15 * rng.normal(size=(150, 2)), rng.normal((3, 0), size=(150, 2))
graph = od.NeighborGraph.from_points(np.vstack([dense, sparse]), n_neighbors=8)
print(graph.describe())

# %%
# The layout uses only the edges, no coordinates and no distances.

model = od.LOE(n_components=2, random_state=0).fit(graph)
camps = np.repeat(["dense", "sparse"], 150)
fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
od.plots.plot_graph(model.embedding_, graph, labels=camps, ax=ax)
plt.show()

# %%
# The similarity of all pairs, with the two groups as blocks. Here it is one minus the scaled
# distance on the map; any kernel will do.

distances = np.linalg.norm(model.embedding_[:, None] - model.embedding_, axis=2)
fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
od.plots.plot_kernel(1 - distances / distances.max(), labels=camps, ax=ax)
plt.show()
