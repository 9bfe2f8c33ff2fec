"""
Six methods, the same answers
=============================

With enough answers, all methods find the same map. They differ in time, and in what they make of
few or noisy answers: see :doc:`/choosing`.
"""

import matplotlib.pyplot as plt

import ordinate as od

cities = od.datasets.load_cities(n_comparisons=20_000, wrong=0.1, random_state=0)
methods = [od.SOE, od.GNMDS, od.CKL, od.STE, od.TSTE, od.TETE]

# %%
# Every estimator is fitted in the same way. Each map is aligned with the true one and coloured by
# latitude; a perfect map has Procrustes distance 0.

fig, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for ax, method in zip(axes.flat, methods, strict=True):
    model = method(n_components=2, random_state=0).fit(cities.comparisons)
    aligned = od.metrics.procrustes_align(model.embedding_, cities.points)
    ax.scatter(*aligned.T, c=cities.points[:, 1], s=20)
    distance = od.metrics.procrustes_distance(model.embedding_, cities.points)
    ax.set(title=f"{method.__name__}: {distance:.3f}", aspect="equal")
    ax.set_axis_off()
plt.show()
