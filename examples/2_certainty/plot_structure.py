"""
Is there any structure at all?
==============================

A map can be drawn from random responses, and it looks convincing. The structure test compares how
well the answers are fitted with how well randomly reversed answers are.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

points = np.random.default_rng(0).standard_normal((20, 2))
meant = od.sources.random_triplets(points, 300, random_state=0)
random = od.sources.random_triplets(
    points, 300, noise=od.sources.FlippedAnswers(0.5), random_state=0
)

# %%
# Both give a map. Only one means anything:

fig, axes = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained")
for ax, (name, answers) in zip(
    axes, {"meant answers": meant, "random responses": random}.items(), strict=True
):
    model = od.STE(2, random_state=0)
    test = od.uncertainty.structure_test(model, answers, n_permutations=99, random_state=0)
    ax.scatter(*model.fit(answers).embedding_.T, s=60, color="#3a86a8")
    ax.set(title=f"{name}: p = {test.p_value:.2f}", aspect="equal")
    ax.axis("off")
plt.show()
