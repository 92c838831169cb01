"""Active tests, only when somebody asks for one."""
