from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # no types
    """Names files by their content, imports between ES modules included, so that all are cached for good."""

    support_js_module_import_aggregation = True
