"""
How large should the tree be?
=============================

One call finds the best tree of every size; rows that were held out tell which size predicts best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from streed import OptimalTreeClassifier

data = load_wine(as_frame=True)
X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.4, random_state=3)

path = OptimalTreeClassifier(max_depth=3).path(X, y)
print(path.table())

# %%
# Errors on the training rows fall with every node that is allowed. Those on other rows do not.
sizes = range(len(path))
train = [1 - path.estimator(size).score(X, y) for size in sizes]
test = [1 - path.estimator(size).score(X_test, y_test) for size in sizes]

figure, axes = plt.subplots(figsize=(5, 3))
axes.plot(sizes, train, "o-", label="training rows")
axes.plot(sizes, test, "o--", label="rows held out")
axes.set(xlabel="branching nodes", ylabel="share of errors")
axes.legend()

# %%
# `tune` does this by cross-validation, on the training rows alone.
tuned = OptimalTreeClassifier(max_depth=3, tune=5).fit(X, y)
print(tuned.tree_.n_nodes, "nodes;", round(tuned.score(X_test, y_test), 3), "of new rows right")
