"""
The tree in other programs
==========================

A tree becomes SQL, Python, JSON, or a fitted tree of scikit-learn; all give the same answer for every row.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_iris

from streed import OptimalTreeClassifier
from streed.model import Model

data = load_iris(as_frame=True)
X, y = data.data, data.target_names[data.target]
model = OptimalTreeClassifier(max_depth=2).fit(X, y)

# %%
# As SQL, for the database where the rows are.
print(model.tree_.to_sql())

# %%
# As a function without any package.
print(model.tree_.to_python())

# %%
# As a file that is read without pickle and predicts without scikit-learn.
path = Path(tempfile.mkdtemp()) / "iris.json"
Model.from_estimator(model).save(path)
print((Model.load(path).predict(X) == model.predict(X)).all())

# %%
# As a tree of scikit-learn, for the tools that read those.
theirs = model.to_sklearn()
print(type(theirs).__name__, (theirs.predict(X) == model.predict(X)).all())

# %%
# And as a picture.
_ = model.tree_.plot()
