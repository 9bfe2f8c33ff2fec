"""
Careless answers: estimate the lapse rate
=========================================

Some people do not look and respond at random. ``STE(lapse_rate="estimate")`` estimates how often,
and keeps these responses from distorting the map.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

points = 1.5 * np.random.default_rng(0).standard_normal((30, 2))
shares = [0, 0.1, 0.2, 0.3, 0.4]
found = []
for share in shares:
    careful = od.sources.random_triplets(
        points, 6000, noise=od.sources.LogisticNoise(0.3), random_state=0
    )
    rng = np.random.default_rng(1)
    random = (rng.random(6000) < share) & (rng.random(6000) < 0.5)  # half are right by luck
    rows = careful.rows.copy()
    rows[random, 1:] = rows[random, :0:-1]
    model = od.STE(2, lapse_rate="estimate", random_state=0).fit(od.Comparisons(rows))
    found.append(model.lapse_rate_)

# %%

fig, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.plot([0, 40], [0, 40], color="#9aa7b0", linestyle="--", label="equal")
ax.plot(np.multiply(shares, 100), np.multiply(found, 100), marker="o", linewidth=2.5)
ax.set(xlabel="random responses, %", ylabel="estimated lapse rate, %")
ax.legend(frameon=False)
plt.show()
