"""
An objective of your own
========================

What a leaf costs is any function of sums over its rows. Here leaves must offer one of three prices, and
earn the price times the number of customers who would pay it.
"""

import numpy as np

import streed

rng = np.random.default_rng(4)
n = 500
X = rng.integers(0, 2, (n, 8)).astype(bool)
worth = (
    6 + 5 * (X[:, 0] & X[:, 1]) + 3 * X[:, 2] + rng.normal(0, 1.5, n)
)  # what each customer would pay at most

prices = np.array([5.0, 8.0, 12.0])
pays = worth[:, None] >= prices


class Prices(streed.tasks.StatisticsTask):
    """The least loss of revenue: minus price times the number of customers who pay it."""

    name = "prices"

    def __init__(self):
        super().__init__(pays.astype(float), labels=prices.tolist())

    def leaf_costs(self, sums):
        """Return the cost of each leaf under each price, from how many of its customers would pay each."""
        return -prices[:, None] * sums


result = streed.solve(Prices(), X, max_depth=3)
print(result.tree.to_text())
print(
    "revenue", -result.objective, "with one price", max(prices * pays.sum(axis=0)), "proven:", result.optimal
)

# %%
# Does the task keep its promises? A search for a counterexample finds none.
print(streed.check_separable(Prices(), X, n_samples=20).ok)

# %%
# And as a picture.
_ = result.tree.plot()
