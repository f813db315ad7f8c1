"""Parts of policy trees: teachers that estimate gains, and the value of a policy."""
