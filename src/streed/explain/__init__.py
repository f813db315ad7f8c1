"""Why a row gets its prediction, without redundant tests, and what would have to change for another one.

`values.py` has the values that a tree tells apart, `reasons.py` the fewest tests that decide, `changes.py`
the nearest rows with another prediction, `explanations.py` what users get.
"""
