"""Reading tables of any library: columns as Booleans, numbers, dates and categories, without importing it."""
