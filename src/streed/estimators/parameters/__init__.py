"""Parameters that all estimators share: their names elsewhere, constraints, excluded columns, callbacks."""
