"""Side-by-side measurements of streed and its peers; run ``python -m benchmarks --help``."""
