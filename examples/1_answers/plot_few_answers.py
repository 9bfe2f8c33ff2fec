"""
Few answers: what the penalty does
==================================

With few answers per object a map can satisfy almost all of them, and fits noise. A penalty on the
coordinates prevents that. STE and CKL have one by default.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

points = np.random.default_rng(0).standard_normal((40, 2))
test = od.sources.random_triplets(points, 20_000, random_state=1)

# %%
# Answers of an observer who is unsure if two distances are alike.

counts = [5, 10, 20, 40, 80]
errors = {0: [], 2: []}
for count in counts:
    noise = od.sources.LogisticNoise(0.5)
    draws = [
        od.sources.random_triplets(points, 40 * count, noise=noise, random_state=seed)
        for seed in range(3)
    ]
    for penalty, listed in errors.items():
        fits = [od.STE(2, penalty=penalty, random_state=0).fit(answers) for answers in draws]
        listed.append(100 * np.mean([1 - model.score(test) for model in fits]))

# %%

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.semilogx(counts, errors[0], marker="o", linewidth=2.5, label="STE with penalty=0")
ax.semilogx(counts, errors[2], marker="o", linewidth=2.5, label="STE, whose penalty is 2")
ax.set(xlabel="answers per object", ylabel="error on correct answers, %", ylim=(0, None))
ax.set_xticks(counts, counts)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()
