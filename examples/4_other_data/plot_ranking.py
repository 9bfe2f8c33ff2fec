"""
Which model is best, and which cannot be distinguished
======================================================

Twelve judges saw two of eight models at a time and chose the better one, or called it a tie.
``Ranking`` gives scores with intervals; bars join models that cannot be distinguished.
"""

import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
quality = np.linspace(1.5, -1.5, 8)
names = np.array([f"model {letter}" for letter in "ABCDEFGH"])
shown = np.argsort(rng.random((600, 8)), axis=1)[:, :2]
ahead = quality[shown[:, 0]] - quality[shown[:, 1]] + rng.logistic(size=600)
answers = od.Pairs(
    names[shown],
    np.select([ahead > 0.5, ahead < -0.5], [1, -1], 0),
    groups={"participant": rng.integers(12, size=600)},
)

model = od.Ranking(random_state=0).fit(answers)
print(od.check_scale(answers, model, random_state=0))
od.plots.plot_ranking(model)

# %%
# Who beat whom, in the order of the scores:

od.plots.plot_wins(model)
