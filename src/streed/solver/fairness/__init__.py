"""The trade-off between error and unfairness."""
