"""Offline packets: a zip that is judged without a server, and its table of answers when it comes back."""
