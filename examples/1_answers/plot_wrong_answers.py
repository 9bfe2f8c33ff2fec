"""
Wrong answers: which method copes?
==================================

If answers are flipped at random, a bounded loss keeps them from distorting the map. t-ETE with
``t=2, t_prime=1`` has one; the losses of SOE and STE grow without bound.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

points = np.random.default_rng(0).standard_normal((60, 2))
correct = od.sources.random_triplets(points, 20_000, random_state=1)
methods = {
    "SOE": od.SOE(random_state=0),
    "STE": od.STE(random_state=0),
    "t-ETE, t = 2, t' = 1": od.TETE(t=2, t_prime=1, random_state=0),
}

# %%
# Fit each method to 6,000 answers, some of them flipped, and ask it 20,000 correct ones.

shares = [0, 0.1, 0.2, 0.3]
errors = {name: [] for name in methods}
for share in shares:
    noise = od.sources.FlippedAnswers(share)
    answers = od.sources.random_triplets(points, 6000, noise=noise, random_state=0)
    for name, model in methods.items():
        errors[name].append(100 * (1 - model.fit(answers).score(correct)))

# %%

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, error in errors.items():
    ax.plot(np.multiply(shares, 100), error, marker="o", linewidth=2.5, label=name)
ax.set(xlabel="answers flipped, %", ylabel="error on correct answers, %", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
