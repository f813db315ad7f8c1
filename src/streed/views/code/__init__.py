"""A tree as code that predicts without this package: a Python function and SQL expressions."""
