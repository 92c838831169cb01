from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0002_hypertables"), ("fleet", "0001_initial")]

    operations = [run_sql("take")]
