"""Starts one process of the agent on a bare interpreter: `python -I -S light.py TASK`.

Without `site` there are no site packages; the settings come as PLIMSOLL_* variables (settings.py), and PLIMSOLL_PATH
names what else to import from (psutil).
"""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    """`sample`, `import` and `watch` (VMs) stay; `send`, `look`, `pack` and `last` are the uplink's tasks."""
    # The script's own folder would come first, and it has modules whose names are too common to be found by.
    sys.path[:] = [path for path in sys.path if path != HERE]
    sys.path.append(os.path.dirname(HERE))
    sys.path += [path for path in os.environ.get("PLIMSOLL_PATH", "").split(os.pathsep) if path]
    task = sys.argv[1]
    if task == "sample":
        from plimsoll_agent import running  # only now: the path to it has just been set

        return running.main()
    if task == "import":
        from plimsoll_agent.imports import running as importing  # as above

        return importing.main()
    if task == "watch":
        from plimsoll_agent.hypervisor import running as watching  # as above

        return watching.main()
    from plimsoll_agent import uplink  # only now, and not in the sampler: it is large

    return uplink.main(task)


if __name__ == "__main__":
    raise SystemExit(main())
