"""Disks of machines that have another agent already: what it shows is fetched, and made into frames."""
