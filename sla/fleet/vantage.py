"""From which side was it measured?"""

from django.db import models


class Vantage(models.IntegerChoices):
    """Stored as a small integer in the hypertables; said as a word everywhere else."""

    GUEST = 1, "guest"
    HOST = 2, "host"

    @classmethod
    def of(cls, word: str) -> "Vantage":
        """The vantage a word names; KeyError otherwise."""
        return {"guest": cls.GUEST, "host": cls.HOST}[word]
