"""python3 -m scripts COMMAND: what the Makefile calls."""

import sys

# Before anything newer is parsed: an old interpreter gets a sentence and not a SyntaxError.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("Plimsoll needs Python 3.11 or newer; %s is %s" % (sys.executable, sys.version.split()[0]))  # noqa: UP031

from scripts.commands import main

sys.exit(main(sys.argv[1:]))
