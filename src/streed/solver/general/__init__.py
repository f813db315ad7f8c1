"""The paper's recursion for any six components, with cache, bounds, limits and guarded callables."""
