"""What a browser files an account's unsent answers under."""

from django.utils.crypto import salted_hmac

from labeling.models import User


def browser_key(user: User) -> str:
    """The same for each visit of the account; says nothing of it, and no other account can tell it."""
    return salted_hmac("labeling.browser_key", str(user.pk), algorithm="sha256").hexdigest()[:32]
