"""Where the pages are mounted."""

urlpatterns: list = []
