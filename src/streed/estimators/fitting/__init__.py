"""The way from a table to a tree: which columns are searched, and how (`plan.py`)."""
