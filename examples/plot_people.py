"""
Do people see the same map?
===========================

Twelve people compared fifteen objects. All of them see the same two attributes, but half of them
care more for the one, half for the other.
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
# One map, and for every participant how much each of its axes counts. The colours are what we know
# of the people; the model does not.

model = od.WeightedSpaces(n_components=2, random_state=0).fit(answers)
od.plots.plot_people(model, taste, label_title="taste")
plt.show()

# %%
# Are the differences real? Every answer is predicted from the others, with and without knowing who
# gave it:

print(od.selection.compare_people(answers, model))

# %%
# Somebody new answers a few questions, who cares for colour:

new = od.sources.random_triplets(points * [2.0, 0.7], 60, random_state=99)
print(model.place_participant(new))
