from pathlib import Path

from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("incidents", "0001_initial")]

    operations = [run_sql("append_only", Path(__file__).parent.parent / "sql")]
