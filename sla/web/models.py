"""What a person keeps of the pages: views of the list of disks, by name."""

from django.db import models

from sla.accounts.models import User


class SavedView(models.Model):
    """A filter and an order of the list of disks, as its address has them."""

    user = models.ForeignKey(User, models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=600, help_text="?state=breached&pool=ssd-3")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        # Also what somebody's views are listed by.
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="saved_view_named_once")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user_id}"
