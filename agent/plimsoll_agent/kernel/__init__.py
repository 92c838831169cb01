"""What the kernel says: one module for each file or folder of /proc and /sys that the agent reads."""
