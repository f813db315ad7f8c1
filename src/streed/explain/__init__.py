"""Why a row gets its prediction, without redundant tests, and what would have to change for another one.

`changes.py` has the nearest rows with another prediction, `explanations.py` what users get; the fewest tests
that decide are in `streed.reasons`, since pages show them, too.
"""
