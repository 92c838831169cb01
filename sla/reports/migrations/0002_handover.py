from pathlib import Path

from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_initial")]

    operations = [run_sql("handover", Path(__file__).parent.parent / "sql")]
