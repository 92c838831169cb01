from pathlib import Path

from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("neighbours", "0002_pool_minutes"), ("telemetry", "0002_hypertables")]

    operations = [run_sql("minutes", Path(__file__).parent.parent / "sql")]
