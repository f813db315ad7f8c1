"""What several tasks share: labels, weights, units, prices, costs per row."""
