"""What the hypervisor sees of its guests' disks, asked of QEMU itself."""
