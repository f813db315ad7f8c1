"""
Errors that cost, and questions that cost
=========================================

Sending a healthy person to hospital costs 1, overlooking an illness 10; the laboratory test costs .3,
asking costs nothing. The cheapest tree asks first and tests few.
"""

import numpy as np
import pandas as pd

from streed import CostSensitiveTreeClassifier, FeatureCosts

rng = np.random.default_rng(2)
n = 1500
people = pd.DataFrame(
    {
        "fever": rng.random(n) < 0.4,
        "cough": rng.random(n) < 0.5,
        "age": rng.integers(1, 90, n),
        "blood value": rng.normal(10, 2, n).round(1),
    }
)
risk = (
    0.02
    + 0.3 * (people["fever"] & (people["age"] > 50))
    + 0.6 * (people["fever"] & (people["blood value"] > 12))
)
ill = np.where(rng.random(n) < risk, "ill", "well")

# %%
# Rows of the matrix are true labels, columns what is predicted, both in the order of the labels: ill, well.
model = CostSensitiveTreeClassifier(
    misclassification_costs=[[0, 10], [1, 0]],
    feature_costs=FeatureCosts({"blood value": 0.3}),
    max_depth=3,
)
model.fit(people, ill)
print(model.tree_.to_text())

# %%
# What a person costs on average: errors, and questions along the way.
print(model.expected_costs_)

# %%
# And as a picture.
_ = model.tree_.plot()
