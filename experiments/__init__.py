"""The paper's studies, end to end."""
