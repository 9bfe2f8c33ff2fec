"""
Do people see the same map?
===========================

Twelve people compared fifteen objects. All see the same two attributes, but half of them care more
about the first, half about the second.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
points = rng.standard_normal((15, 2))
people = [f"P{number:02d}" for number in range(12)]
taste = np.where(np.arange(12) % 2, "colour", "shape")
said = []
for number in range(12):
    stretch = np.array([2.0, 0.7]) if taste[number] == "colour" else np.array([0.7, 2.0])
    said.append(od.sources.random_triplets(points * stretch, 100, random_state=number))
answers = od.Comparisons(
    np.vstack([part.rows for part in said]), groups={"participant": np.repeat(people, 100)}
)

# %%
# Fit one map, and for every participant the weight of each dimension. The model does not know the
# colours.

model = od.WeightedSpaces(n_components=2, random_state=0).fit(answers)
fig, ax = plt.subplots(figsize=(5, 4), layout="constrained")
od.plots.plot_people(model, taste, ax, label_title="taste")
plt.show()

# %%
# Are the differences real? The test compares them with one map for all, on which some people are
# more reliable than others. Held-out answers show how much knowing the person helps:

print(od.compare_people(answers, model, random_state=0))

# %%
# A new participant answers a few questions:

new = od.sources.random_triplets(points * [2.0, 0.7], 60, random_state=99)
print(model.place_participant(new))
