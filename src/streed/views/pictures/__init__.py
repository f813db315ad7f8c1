"""Pictures of a tree: where its nodes go, drawn by matplotlib or written for Graphviz."""
