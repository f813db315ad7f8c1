"""What a fitted estimator says beside its predictions: record, baseline, advice, importances, stability."""
