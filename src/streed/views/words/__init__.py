"""Views that are read: a tree as text and as rules, a result in words."""
