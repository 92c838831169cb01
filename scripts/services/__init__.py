"""PostgreSQL 17 with TimescaleDB, and Redis, in a private folder of the checkout: nothing of the host is changed."""
