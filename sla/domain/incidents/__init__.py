"""When does something bad become an incident, which one, and when is it over? Pure rules."""
