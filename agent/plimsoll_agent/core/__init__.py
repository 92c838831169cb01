"""Arithmetic that agent and server must compute alike: pure, no clock, no I/O."""
