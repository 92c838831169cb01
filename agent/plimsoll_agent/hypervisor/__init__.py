"""What runs on a hypervisor: its guests' disks, seen from its side of them."""
