"""
Who should get the treatment?
=============================

Records of what was done and what came of it, from a policy that was not random. A tree says whom to treat,
with at most a third of the people treated.
"""

import numpy as np
import pandas as pd

from streed import PolicyTree

rng = np.random.default_rng(3)
n = 1200
people = pd.DataFrame(
    {"age": rng.integers(18, 90, n), "risk": rng.random(n).round(2), "smokes": rng.random(n) < 0.3}
)
gain = np.where(people["smokes"] & (people["risk"] > 0.4), 3.0, -0.5)
treated = rng.random(n) < np.where(people["age"] > 50, 0.7, 0.3)  # the old were treated more often
outcome = rng.normal(0, 1, n) - 0.02 * people["age"] + gain * treated

policy = PolicyTree("doubly_robust", max_depth=2, capacity={"treat": n // 3})
policy.fit(people, np.where(treated, "treat", "none"), outcome)
print(policy.tree_.to_text())

# %%
# The value of the policy by the same scores, beside treating everybody or nobody.
decided = policy.predict(people)
print(
    "treated:",
    (decided == "treat").mean().round(3),
    " mean outcome by the scores:",
    round(policy.result_.objective, 3),
)

# %%
# And as a picture.
_ = policy.tree_.plot()
