import pytest


@pytest.fixture
def private_files(settings, tmp_path_factory):
    """Private storage of one test, in a folder of its own."""
    folder = tmp_path_factory.mktemp("files")
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder), "base_url": None},
        }
    }
    return folder
