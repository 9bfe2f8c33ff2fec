"""
Groups of people with a map each
================================

Half of the people compare twelve objects by one pair of attributes, half by another. One map for
all fits nobody. ``GroupMaps`` finds the groups and draws a map for each.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
views = rng.standard_normal((2, 12, 2))
people = [f"P{number:02d}" for number in range(16)]
said = [
    od.sources.random_triplets(views[number % 2], 150, random_state=number) for number in range(16)
]
answers = od.Comparisons(
    np.vstack([part.rows for part in said]), groups={"participant": np.repeat(people, 150)}
)

# %%

model = od.GroupMaps(n_groups=2, n_components=2, random_state=0).fit(answers)
print(model.memberships_.round(2)[:4])  # a row per person: the probability of each group

# %%

fig, axes = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained")
for ax, points, color in zip(axes, model.embeddings_, ["#1b4965", "#d1495b"], strict=True):
    ax.scatter(*points.T, s=70, color=color)
    ax.set_aspect("equal")
    ax.axis("off")
axes[0].set_title("group 1")
axes[1].set_title("group 2")
plt.show()
