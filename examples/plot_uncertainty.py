"""
How sure is my map?
===================

Eight people compared twenty objects, each in a way of their own. Which parts of the map would look
the same with other people, and which would not?
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
# Whole participants are drawn with replacement, and the map is fitted again each time. Ellipses
# hold 90 % of an object's places; objects are faint where the map is unsure.

sure = od.map_uncertainty(model, answers, by="participant", n_draws=100)
print(sure)
od.plots.plot_map(model, names=answers.names, uncertainty=sure)
plt.show()

# %%
# Which objects keep their neighbours:

od.plots.plot_stability(sure)
plt.show()

# %%
# Which neighbours can be relied on, of one object:

print(sure.stable_neighbors().get("object 0", {}))

# %%
# A distance with its interval, and a question with how sure the map is of its answer:

low, high = sure.distance_interval("object 0", "object 1")
print(f"object 0 to object 1: {low:.2f} to {high:.2f}")
chance = sure.sure_of("object 0", "object 1", "object 2")
print(f"object 0 is nearer to object 1 than to object 2 in {chance:.0%} of the draws")

# %%
# Would a coin's answers give as good a map?

print(od.uncertainty.structure_test(od.STE(2), answers, n_permutations=19))

# %%
# Do the first four people and the other four draw really different maps, or only by chance?

first = np.arange(len(answers)) < len(answers) // 2
halves = [
    od.map_uncertainty(od.STE(2, random_state=0).fit(part), part, n_draws=100)
    for part in (answers[first], answers[~first])
]
print(od.uncertainty.compare_maps(*halves))
