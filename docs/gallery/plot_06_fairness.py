"""
Errors against unfairness
=========================

How many errors does it cost to select two groups at nearly equal rates? The whole trade-off by one call.
"""

import numpy as np
import pandas as pd

from streed import FairTreeClassifier, fairness_front

rng = np.random.default_rng(7)
n = 800
group = rng.choice(["a", "b"], n, p=[0.6, 0.4])
people = pd.DataFrame(
    {
        "degree": rng.random(n) < np.where(group == "a", 0.6, 0.3),
        "years": rng.integers(0, 20, n),
        "test passed": rng.random(n) < 0.5,
    }
)
suits = (people["degree"] & (people["years"] > 3)) | (people["test passed"] & (people["years"] > 8))
suits = suits ^ (rng.random(n) < 0.1)

front = fairness_front(people, suits, sensitive_features=group, max_depth=2)
for point in list(front)[:5]:
    print(f"{point.error:g} errors with a difference of {point.difference:.3f}")

# %%
_ = front.plot()

# %%
# The tree with the fewest errors among those with a difference of at most five hundredths.
fair = FairTreeClassifier("demographic_parity", max_difference=0.05, max_depth=2)
fair.fit(people, suits, sensitive_features=group)
print(fair.tree_.to_text())
print("difference:", round(fair.difference_, 3))
