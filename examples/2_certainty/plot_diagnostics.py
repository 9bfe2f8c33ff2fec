"""
Five diagnostic plots
=====================

Before a map goes into a paper: has the fit converged, do the answers agree with the map, do all
participants, and would more answers help?
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

points = np.random.default_rng(0).standard_normal((40, 2))
people = {"Ada": 0.02, "Ben": 0.02, "Cem": 0.05, "Dee": 0.05, "Eve": 0.25}
said = [
    od.sources.random_triplets(points, 600, noise=od.sources.FlippedAnswers(wrong), random_state=i)
    for i, wrong in enumerate(people.values())
]
answers = od.Comparisons(
    np.vstack([part.rows for part in said]),
    groups={"participant": np.repeat(list(people), 600)},
)

# %%
# The loss after each iteration:

models = {name: getattr(od, name)(2, random_state=0).fit(answers) for name in ("SOE", "STE")}
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, model in models.items():
    ax.semilogy(model.history_, label=name)
ax.set(xlabel="iteration", ylabel="loss")
ax.legend()
plt.show()

# %%
# Each answer names a nearer and a farther pair. Answers above the diagonal agree with the map; on a
# good map those below it lie close to it.

map_ = models["SOE"].embedding_
fig, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
od.plots.plot_shepard(answers, map_, ax=ax)
plt.show()

# %%
# The margins of held-out answers, and the participants who disagree:

noise = od.estimate_noise(answers, per="participant", random_state=0)
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
od.plots.plot_margins(noise.margins, ax=left)
od.plots.plot_agreement(noise, ax=right)
plt.show()

# %%
# Would more answers help? The held-out error against the number of answers:

curve = od.learning_curve(answers, "TETE", 2, random_state=0)
print(curve)
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
od.plots.plot_learning_curve(curve, ax=ax)
plt.show()

# %%
# ``ordinate report answers.csv`` puts all of this on one page.
