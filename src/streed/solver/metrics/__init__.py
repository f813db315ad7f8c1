"""Metrics of counts: ratios by Dinkelbach, others by hull and fronts."""
