"""Small programs that a study runs in a fresh process; each prints one line of JSON."""
