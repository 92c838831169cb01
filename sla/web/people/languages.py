"""Which languages may be chosen?"""

from typing import Any

from django import forms
from django.conf import settings


def language_field(unchosen: Any) -> forms.ChoiceField:
    """Ours, and none: what that means, `unchosen` says."""
    return forms.ChoiceField(required=False, choices=[("", unchosen), *settings.LANGUAGES])
