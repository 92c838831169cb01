#!/usr/bin/env python3
"""Django's command line, for this project's settings."""

import os
import secrets
import sys

from django.core.management import execute_from_command_line

# They read a file and say what is in it: nothing is signed, no set-up is needed.
WITHOUT_SECRETS = {"score_log", "detect_log"}

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
    if WITHOUT_SECRETS & set(sys.argv[1:2]):
        os.environ.setdefault("SECRET_KEY", secrets.token_hex())
    execute_from_command_line(sys.argv)
