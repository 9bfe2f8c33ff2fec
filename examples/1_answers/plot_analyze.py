"""
From answers to a map in one call
=================================

``analyze`` chooses the method and the dimension by cross-validation, fits the map, and measures
its error on answers that the map has not seen.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
points = rng.standard_normal((30, 2))
noise = od.sources.LogisticNoise(0.5)
answers = od.sources.random_triplets(points, 1500, noise=noise, random_state=0)

# %%
# Instead of a record you can pass the name of a file, a data frame or an array.

analysis = od.analyze(answers, ["SOE", "STE"], [1, 2, 3], random_state=0)
print(analysis)

# %%
# ``analysis.model`` is the fitted map. ``analysis.uncertainty()``, ``noise()`` and ``people()``
# tell more about it, and ``analysis.report("report.html")`` writes everything on one page.

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
od.plots.plot_map_over_truth(analysis.model.embedding_, points, ax=ax)
ax.set_title(f"error on new answers: {analysis.error.error:.1%}")
plt.show()
