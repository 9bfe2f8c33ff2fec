"""
Which method, how many dimensions?
==================================

Forty objects lie in the plane, but we do not know that. We have 4,000 answers of five people, one
of whom responds at random half of the time.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

points = np.random.default_rng(0).standard_normal((40, 2))
people = {"Ada": 0.02, "Ben": 0.02, "Cem": 0.05, "Dee": 0.05, "Eve": 0.25}
said = [
    od.sources.random_triplets(points, 800, noise=od.sources.FlippedAnswers(wrong), random_state=i)
    for i, wrong in enumerate(people.values())
]
answers = od.Comparisons(
    np.vstack([part.rows for part in said]),
    groups={"participant": np.repeat(list(people), 800)},
)

# %%
# Cross-validate two methods in one to three dimensions. The advice is the lowest dimension that
# predicts almost as well as the best.

print(od.compare(answers, ["SOE", "TETE"], [1, 2, 3], random_state=0))

# %%
# With one method, more dimensions and a test between them:

estimate = od.estimate_dimension(answers, [1, 2, 3, 4, 5], method="TETE", folds=5, random_state=0)
print(estimate)
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
od.plots.plot_dimensions(estimate, ax=ax)
plt.show()

# %%
# Who is careless? Each answer is compared with a map that was fitted without it. A quarter of
# Eve's answers are wrong.

noise = od.estimate_noise(answers, "TETE", estimate.dimension, per="participant", random_state=0)
print(noise)

# %%
# The answers that disagree most with the map, as rows of the record:

print(answers[noise.contradicted[:5]].rows)
