"""
Times to an event
=================

Some customers have left, of the others it is only known that they have stayed so far. Each leaf has a
curve.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from streed import SurvivalTree

rng = np.random.default_rng(5)
n = 600
customers = pd.DataFrame(
    {"price": rng.integers(5, 60, n), "contract": rng.random(n) < 0.5, "calls": rng.poisson(2, n)}
)
hazard = 0.03 + 0.1 * (customers["calls"] > 3) + 0.08 * (~customers["contract"] & (customers["price"] > 40))
time = rng.exponential(1 / hazard)
watched = rng.uniform(1, 36, n)
y = np.array(
    list(zip(time <= watched, np.minimum(time, watched), strict=True)),
    dtype=[("left", bool), ("months", float)],
)

model = SurvivalTree(max_depth=2).fit(customers, y)
print(model.tree_.to_text())

# %%
# The share that stays, in each leaf.
leaves = model.apply(customers)
figure, axes = plt.subplots(figsize=(5, 3))
for leaf in np.unique(leaves):
    rows = customers[leaves == leaf].head(1)
    curve = model.predict_survival_function(rows)[0]
    axes.step(curve.x, curve.y, where="post", label=f"leaf {leaf}: {(leaves == leaf).sum()} customers")
axes.set(xlabel="months", ylabel="share that stays", ylim=(0, 1))
_ = axes.legend(fontsize=8)
