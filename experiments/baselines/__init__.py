"""What the paper compares with and what cannot be had as a Python package, written from its descriptions."""
