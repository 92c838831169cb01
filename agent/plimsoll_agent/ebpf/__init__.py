"""Latencies counted one by one in the kernel, where it lets us."""
