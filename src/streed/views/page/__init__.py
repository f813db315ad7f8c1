"""Views for a browser: a page, its small pictures, and the same page inside a notebook."""
