import pytest


@pytest.fixture
def private_files(settings, tmp_path):
    """Private storage of one test, in a folder of its own."""
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "files"), "base_url": None},
        }
    }
    return tmp_path / "files"
