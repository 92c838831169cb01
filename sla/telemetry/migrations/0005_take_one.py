from django.db import migrations

from sla.telemetry.timescale import run_sql


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0004_disks_without_a_constraint")]

    operations = [run_sql("take_one")]
