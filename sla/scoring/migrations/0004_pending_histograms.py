from pathlib import Path

from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("scoring", "0003_no_now_indexes")]

    operations = [run_sql("pending_histograms", Path(__file__).parent.parent / "sql")]
