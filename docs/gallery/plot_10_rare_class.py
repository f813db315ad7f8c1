"""
A rare class
============

Five rows in a hundred are fraud. The tree with the fewest errors may call nothing fraud; one for F1 or MCC
does not.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score, precision_score, recall_score

from streed import OptimalTreeClassifier

rng = np.random.default_rng(11)
n = 3000
payments = pd.DataFrame(
    {"amount": rng.gamma(1.5, 80, n).round(), "hour": rng.integers(0, 24, n), "new": rng.random(n) < 0.2}
)
odds = 0.02 + 0.3 * (payments["new"] & (payments["amount"] > 150))
fraud = rng.random(n) < odds

for objective in ("accuracy", "balanced_accuracy", "f1", "mcc"):
    found = OptimalTreeClassifier(objective, max_depth=2).fit(payments, fraud).predict(payments)
    figures = (
        f1_score(fraud, found),
        precision_score(fraud, found, zero_division=0),
        recall_score(fraud, found),
    )
    print(f"{objective:18} F1 {figures[0]:.2f}  precision {figures[1]:.2f}  recall {figures[2]:.2f}")

# %%
# The tree for F1, the best of its size for all rows of this table.
model = OptimalTreeClassifier("f1", max_depth=2).fit(payments, fraud)
_ = model.tree_.plot()
