import django.db.models.deletion
from django.db import migrations, models

import kb.catalog.fields
from kb.catalog.backfill import fill_findings
from kb.catalog.collation import CollateKeys


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(max_length=16, unique=True)),
                ("digest", models.CharField(max_length=64)),
                ("scopes", kb.catalog.fields.StoredJSON(default=list)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="dataset",
            name="address",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="dataset",
            name="coverage",
            field=models.CharField(
                blank=True,
                choices=[("", "as the shape of the source says"), ("complete", "Complete"), ("partial", "Partial")],
                default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="dataset",
            name="remembered",
            field=kb.catalog.fields.StoredJSON(default=dict),
        ),
        migrations.AddField(
            model_name="dataset",
            name="removed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="dataset",
            name="schedule",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AddField(
            model_name="dataset",
            name="trusted",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="release",
            name="before",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="release",
            name="kind",
            field=models.CharField(
                choices=[
                    ("import", "Import"),
                    ("rollback", "Rollback"),
                    ("removal", "Removal"),
                    ("ranking", "Ranking"),
                ],
                default="import",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="undone_by",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="release",
            name="state",
            field=models.CharField(
                choices=[
                    ("running", "Running"),
                    ("published", "Published"),
                    ("unchanged", "Unchanged"),
                    ("held", "Held"),
                    ("refused", "Refused"),
                    ("failed", "Failed"),
                    ("canceled", "Canceled"),
                ],
                default="running",
                max_length=12,
            ),
        ),
        migrations.CreateModel(
            name="FindingTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("finding", models.CharField(max_length=60)),
                ("repo", models.CharField(max_length=255)),
                ("record_count", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["finding", "-record_count", "repo"], name="finding_tally_by_count")],
                "constraints": [models.UniqueConstraint(fields=("finding", "repo"), name="finding_tally_once")],
            },
        ),
        migrations.CreateModel(
            name="FindingTrend",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("revision", models.BigIntegerField()),
                ("finding", models.CharField(max_length=60)),
                ("record_count", models.BigIntegerField()),
                ("record_total", models.BigIntegerField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("revision", "finding"), name="finding_trend_once")],
            },
        ),
        migrations.CreateModel(
            name="CopyBefore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("record_id", models.CharField(max_length=16)),
                ("content_hash", models.CharField(blank=True, default="", max_length=32)),
                ("content", models.BinaryField(null=True)),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="catalog.release"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["release", "record_id"], name="copy_before_by_release")],
            },
        ),
        migrations.CreateModel(
            name="ImportJob",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("dataset", models.CharField(max_length=100)),
                ("source", models.TextField(blank=True, default="")),
                ("options", kb.catalog.fields.StoredJSON(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("canceled", "Canceled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("task", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("report", kb.catalog.fields.StoredJSON(default=dict)),
                (
                    "key",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="catalog.apikey"
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="catalog.release"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["-created_at", "id"], name="import_job_by_time")],
            },
        ),
        migrations.CreateModel(
            name="RecordFinding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("finding", models.CharField(max_length=60)),
                ("repo", models.CharField(max_length=255)),
                (
                    "record",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="catalog.record",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["finding", "repo", "record"], name="record_finding_in_order")],
            },
        ),
        CollateKeys(
            columns=[
                ("catalog_recordfinding", "finding", "varchar(60)"),
                ("catalog_recordfinding", "repo", "varchar(255)"),
                ("catalog_recordfinding", "record_id", "varchar(16)"),
                ("catalog_findingtally", "finding", "varchar(60)"),
                ("catalog_findingtally", "repo", "varchar(255)"),
                ("catalog_copybefore", "record_id", "varchar(16)"),
            ]
        ),
        migrations.RunPython(fill_findings, migrations.RunPython.noop, elidable=True),
    ]
