"""
The map of Europe, from comparisons alone
=========================================

We do not know where the 125 cities lie. All we have is 50,000 answers to "is A nearer to B than to
C?", and one in ten of them is wrong.
"""

import matplotlib.pyplot as plt

import ordinate as od

cities = od.datasets.load_cities(n_comparisons=50_000, wrong=0.1, random_state=0)
print(cities.comparisons.describe())

# %%
# Hold out a fifth of the answers, fit a map to the others, and predict the held-out ones. Since a
# tenth of the answers is wrong, no map can predict more than 90 %.

train, test = cities.comparisons.train_test_split(test_size=0.2, random_state=0)
model = od.TETE(n_components=2, random_state=0).fit(train)
print(f"The map predicts {model.score(test):.1%} of the held-out answers")

# %%
# Comparisons do not determine position, size, orientation or mirror image. So the map is aligned
# with the true one (filled: from the answers, hollow: true). Pass ``names=cities.names`` for names.

fig, ax = plt.subplots(figsize=(6, 5.5), layout="constrained")
od.plots.plot_map_over_truth(model.embedding_, cities.points, ax=ax)
distance = od.metrics.procrustes_distance(model.embedding_, cities.points)
ax.set_title(f"Procrustes distance {distance:.4f}")
plt.show()
