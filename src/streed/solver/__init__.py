"""Solving: one strategy per form of task. Only this package and the trees call the native engine."""
