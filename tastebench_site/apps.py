from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "tastebench_site"

    def ready(self) -> None:
        """Bind tasks to our Celery app in every Django process, so that enqueueing finds the broker."""
        from tastebench_site import celery  # noqa: F401
