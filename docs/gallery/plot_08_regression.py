"""
Numbers: means, medians, lines
==============================

The diabetes data of scikit-learn: a measure of the illness after a year.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from streed import OptimalTreeRegressor

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data[["bmi", "bp", "s5"]], data.target

means = OptimalTreeRegressor(max_depth=2).fit(X, y)
print(means.tree_.to_text())

# %%
# Leaves may be lines in one column, each fitted to its own rows.
lines = OptimalTreeRegressor(leaf_model="simple_linear", max_depth=1, binarizer=None).fit(X, y)
print(lines.tree_.to_text())
print("shares explained:", round(means.score(X, y), 3), round(lines.score(X, y), 3))

# %%
# Predicted against measured.
figure, axes = plt.subplots(figsize=(4, 4))
axes.plot(y, lines.predict(X), ".", alpha=0.4)
axes.plot([y.min(), y.max()], [y.min(), y.max()], color="grey", lw=1)
_ = axes.set(xlabel="measured", ylabel="predicted")
