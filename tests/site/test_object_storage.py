"""Originals, renditions and releases in an S3-compatible bucket, over real HTTP."""

import os
import subprocess
import sys
from collections.abc import Iterator

import boto3
import pytest
from django.conf import settings
from moto.server import ThreadedMotoServer

BUCKET = "private"


@pytest.fixture
def object_store(monkeypatch) -> Iterator[str]:
    """The address of an S3 service on loopback that holds an empty bucket."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "for-the-test-only")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        boto3.client("s3", endpoint_url=address).create_bucket(Bucket=BUCKET)
        yield address
    finally:
        server.stop()


def manage(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tastebench_site.settings", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_demo_lives_in_a_bucket_and_its_release_verifies_and_exports_from_there(object_store, tmp_path):
    where = {
        "TB_VAR_DIR": str(tmp_path / "var"),
        "TB_DEMO": "1",
        "TB_PRIVATE_BUCKET": BUCKET,
        "TB_S3_ENDPOINT_URL": object_store,
    }
    manage("migrate", "--verbosity=0", **where)
    manage("load_demo", **where)

    listed = boto3.client("s3", endpoint_url=object_store).list_objects_v2(Bucket=BUCKET)["Contents"]
    folders = [entry["Key"].split("/")[0] for entry in listed]
    # 50 items, each with its original; the 26 pictures (14 visual, 12 brand) also have a file to show.
    assert folders.count("originals") == 50
    assert folders.count("renditions") == 26
    assert folders.count("releases") > 0
    assert not (tmp_path / "var" / "files").exists()

    manage("verify_release", "1", **where)
    manage("export_release", "1", str(tmp_path / "release"), **where)
    assert (tmp_path / "release" / "bench_gold.csv").is_file()
