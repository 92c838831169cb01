import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0003_take")]

    operations = [
        migrations.AlterField(
            model_name="dueslot",
            name="disk",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="fleet.disk",
            ),
        ),
        migrations.AlterField(
            model_name="frame",
            name="disk",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="frames",
                to="fleet.disk",
            ),
        ),
    ]
