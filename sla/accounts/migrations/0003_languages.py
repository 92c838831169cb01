from django.db import migrations, models


class Migration(migrations.Migration):
    """The language of a reader, and of a customer's statements."""

    dependencies = [("accounts", "0002_invitations_networks_one_mail")]
    operations = [
        migrations.AddField(
            model_name="customer",
            name="language",
            field=models.CharField(
                blank=True,
                default="",
                help_text="of its statements and of mail to its people; empty: the house's",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True, default="", help_text="of the reader; empty: as the browser asks", max_length=8
            ),
        ),
    ]
