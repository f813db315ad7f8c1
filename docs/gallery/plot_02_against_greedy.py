"""
What a greedy tree misses
=========================

Two columns that say nothing alone and everything together: a greedy tree has no reason to begin with either
of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from streed import OptimalTreeClassifier

rng = np.random.default_rng(0)
X = rng.random((1000, 6))
y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.4)
y = y ^ (rng.random(1000) < 0.05)

# %%
# The errors of both kinds of trees on the training rows, by depth.
depths = [1, 2, 3]
greedy = [
    int((DecisionTreeClassifier(max_depth=d, random_state=0).fit(X, y).predict(X) != y).sum()) for d in depths
]
optimal = [OptimalTreeClassifier(max_depth=d).fit(X, y).result_.objective for d in depths]
print("greedy ", greedy)
print("optimal", optimal)

# %%
figure, axes = plt.subplots(figsize=(5, 3))
axes.plot(depths, greedy, "o--", label="greedy (scikit-learn)")
axes.plot(depths, optimal, "o-", label="optimal (streed)")
axes.set(xlabel="depth", ylabel="errors", xticks=depths)
_ = axes.legend()
