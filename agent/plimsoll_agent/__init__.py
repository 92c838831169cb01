"""The Plimsoll agent: reads the kernel's disk counters and proves what they force."""

__version__ = "0.1.0"
