"""Pages of statements: the list, one of them, a month being stated, and the check of a page without an account."""
