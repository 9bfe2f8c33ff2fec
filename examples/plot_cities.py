"""
The map of Europe, from comparisons alone
=========================================

Nobody tells us where the 125 cities lie. All we have is answers to "is A nearer to B than to C?",
and one in ten of them is wrong.
"""

import matplotlib.pyplot as plt

import ordinate as od

cities = od.datasets.load_cities(n_comparisons=50_000, wrong=0.1, random_state=0)
print(cities.comparisons.describe())

# %%
# Keep a fifth of the answers aside, fit a map to the others and ask it the questions kept aside.
# Since a tenth of the answers is wrong, 90 % is the best that any map can reach.

train, test = cities.comparisons.train_test_split(test_size=0.2, random_state=0)
model = od.TETE(n_components=2, random_state=0).fit(train)
print(f"{model.score(test):.1%} of the held-out answers are as the map says")

# %%
# Comparisons leave the place, size and direction of a map open, and cannot tell it from its mirror
# image. So the map is laid over the true one (filled: from the answers, hollow: true).

fig, ax = plt.subplots(figsize=(10, 9), layout="constrained")
od.plots.plot_map_over_truth(model.embedding_, cities.points, names=cities.names, ax=ax)
distance = od.metrics.procrustes_distance(model.embedding_, cities.points)
ax.set_title(f"Procrustes distance {distance:.4f}")
plt.show()
