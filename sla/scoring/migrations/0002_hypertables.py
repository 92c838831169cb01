from pathlib import Path

from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial"), ("telemetry", "0002_hypertables")]

    operations = [run_sql("roll_ups", Path(__file__).parent.parent / "sql")]
