"""Many rows as few: equal rows of a source of any size, encoded and put together with their weights."""

from streed.merged.rows import MergedRows, merge_rows

__all__ = ["MergedRows", "merge_rows"]
