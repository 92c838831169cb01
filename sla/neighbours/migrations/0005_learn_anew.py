from django.db import migrations


class Migration(migrations.Migration):
    """One more rule opens windows: what was learnt has no threshold for it. It is learnt anew from the pools' minutes."""

    dependencies = [("neighbours", "0004_late_minutes")]

    operations = [migrations.RunSQL("DELETE FROM neighbours_poolbaseline", migrations.RunSQL.noop)]
