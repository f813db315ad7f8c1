"""Everything that shows a tree: text, rules, source code, pictures, pages. Views read only plain data."""
