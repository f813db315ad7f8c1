"""Which tests of a path decide a prediction.

`cells.py` has the values that a tree tells apart, `fewest.py` the fewest tests that decide, whatever the
values of other columns are.
"""
