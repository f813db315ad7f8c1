"""What a fit chooses from the data: the size of a tree, its price per node, the strength of its smoothing."""
