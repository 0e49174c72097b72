from django.db import migrations, models

from kb.catalog.collation import CollateKeys


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0002_lifecycle"),
    ]

    operations = [
        CollateKeys(
            columns=[("catalog_repository", "language", "text"), ("catalog_repository", "analyzed_at", "text")]
        ),
        migrations.AddIndex(
            model_name="repository",
            index=models.Index(fields=["-stars", "full_name"], name="repository_by_stars"),
        ),
        migrations.AddIndex(
            model_name="repository",
            index=models.Index(fields=["language", "full_name"], name="repository_by_language"),
        ),
        migrations.AddIndex(
            model_name="repository",
            index=models.Index(fields=["-analyzed_at", "full_name"], name="repository_by_analysis"),
        ),
        migrations.AddIndex(
            model_name="term",
            index=models.Index(fields=["kind", "-repository_count", "key"], name="term_by_repositories"),
        ),
    ]
