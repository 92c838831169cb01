from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0001_initial")]

    operations = [run_sql("extension"), run_sql("frames")]
