from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("fleet", "0003_where_a_machine_ran_before")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="frames_until",
            field=models.BigIntegerField(
                blank=True,
                help_text="Unix seconds: no frame of the machine's own disks is stored beyond; null: not known",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="in_order",
            field=models.BooleanField(
                db_default=False, help_text="its latest upload began where what is stored had ended"
            ),
        ),
        # Every row is written once a minute: half of a page stays free for that, and the indexes are left alone.
        migrations.RunSQL(
            "ALTER TABLE fleet_agent SET (fillfactor = 50)", "ALTER TABLE fleet_agent RESET (fillfactor)"
        ),
    ]
