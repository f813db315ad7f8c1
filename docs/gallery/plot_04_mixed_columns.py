"""
Texts, dates and missing values
===============================

A table as it comes: categories, dates, numbers with gaps. Nothing has to be encoded by hand.
"""

import numpy as np
import pandas as pd

from streed import OptimalTreeClassifier

rng = np.random.default_rng(1)
n = 600
orders = pd.DataFrame(
    {
        "amount": rng.gamma(2.0, 60.0, n).round(2),
        "country": rng.choice(["NL", "DE", "FR", "BE"], n),
        "ordered": pd.to_datetime("2026-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
        "age": np.where(rng.random(n) < 0.15, np.nan, rng.integers(18, 80, n)),
    }
)
returned = ((orders["amount"] > 150) & (orders["country"] != "DE")) | orders["age"].isna()
returned = np.where(returned ^ (rng.random(n) < 0.08), "returned", "kept")

model = OptimalTreeClassifier(max_depth=3, max_nodes=3).fit(orders, returned)
print(model.tree_.to_text())

# %%
# Where rows with a missing value go is part of what is searched. What was considered is said in words:
print(model.result_.note)

# %%
# And as a picture.
_ = model.tree_.plot()
