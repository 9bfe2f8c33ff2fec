"""
How certain is my map?
======================

Eight people compared twenty objects, each slightly differently. Which parts of the map would look
the same with other people?
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(1)
points = rng.standard_normal((20, 2))
said = []
for person in range(8):
    own = points + 0.3 * rng.standard_normal(points.shape)
    said.append(od.sources.random_triplets(own, 120, random_state=person))
answers = od.Comparisons(
    np.vstack([part.rows for part in said]),
    groups={"participant": np.repeat([f"person {person}" for person in range(8)], 120)},
    names=[f"object {number}" for number in range(20)],
)
model = od.STE(n_components=2, random_state=0).fit(answers)

# %%
# Bootstrap: resample whole participants and fit the map again, 100 times. Each ellipse holds 90 %
# of an object's positions; uncertain objects are drawn faint.

sure = od.map_uncertainty(model, answers, n_draws=100, random_state=0)
print(sure)
fig, ax = plt.subplots(figsize=(5.5, 5), layout="constrained")
od.plots.plot_map(model.embedding_, uncertainty=sure, ax=ax)
plt.show()

# %%
# Which objects have stable neighbours?

fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
od.plots.plot_stability(sure, ax)
plt.show()

# %%
# The reliable neighbours of one object:

print(sure.stable_neighbors().get("object 0", {}))

# %%
# The interval of a distance, and how certain an answer is:

low, high = sure.distance_interval("object 0", "object 1")
print(f"object 0 to object 1: {low:.2f} to {high:.2f}")
chance = sure.sure_of("object 0", "object 1", "object 2")
print(f"object 0 is nearer to object 1 than to object 2 in {chance:.0%} of the draws")

# %%
# Would random responses give as good a map?

print(od.uncertainty.structure_test(od.STE(2), answers, n_permutations=19, random_state=0))

# %%
# Do the maps of the first four people and of the other four differ by more than chance?

first = np.arange(len(answers)) < len(answers) // 2
halves = [
    od.map_uncertainty(od.STE(2, random_state=0).fit(part), part, n_draws=100, random_state=0)
    for part in (answers[first], answers[~first])
]
print(od.uncertainty.compare_maps(*halves))
