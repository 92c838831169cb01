from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("fleet", "0002_agent_health")]

    operations = [
        migrations.AddField(
            model_name="machine",
            name="host_before",
            field=models.ForeignKey(
                blank=True,
                help_text="where it ran until it was housed",
                null=True,
                on_delete=models.SET_NULL,
                related_name="+",
                to="fleet.host",
            ),
        ),
        migrations.AddField(model_name="machine", name="housed_at", field=models.DateTimeField(blank=True, null=True)),
    ]
