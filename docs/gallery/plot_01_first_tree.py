"""
A first tree, and what its proof says
=====================================

The breast cancer data of scikit-learn: 569 tumours, 30 columns of numbers. A tree of depth three is
searched over all thresholds of all columns.
"""

from sklearn.datasets import load_breast_cancer

from streed import OptimalTreeClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]

model = OptimalTreeClassifier(max_depth=3).fit(X, y)
print(model.result_.summary())

# %%
# No tree of depth three makes fewer errors on these rows: the bound of the search equals the number of
# errors.
print(model.result_.objective, "errors; no tree has fewer than", model.result_.lower_bound)

# %%
# The tree as a picture. Line width shows the number of rows.
_ = model.tree_.plot(title="Tumours")
