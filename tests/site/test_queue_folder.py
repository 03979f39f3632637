import logging
from pathlib import Path

import pytest
from kombu import Connection

TRANSPORT = "tastebench_site.queue_folder.Transport"


@pytest.fixture
def queue(tmp_path):
    folders = {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }
    (tmp_path / "messages").mkdir()
    with (
        Connection("localhost", transport=TRANSPORT, transport_options=folders) as connection,
        # kombu remembers declared queues for the whole process, so each test has one of its own.
        connection.SimpleQueue(tmp_path.name) as queue,
    ):
        yield queue


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    return tmp_path / "messages"


def test_messages_are_read_in_the_order_they_were_written(queue):
    for number in (1, 2, 3):
        queue.put(number)
    assert [queue.get(timeout=10).payload for _ in range(3)] == [1, 2, 3]


def test_a_message_is_never_seen_half_written(queue, messages, monkeypatch):
    """When the name that readers look for appears, the content is complete."""
    seen = []
    replace = Path.replace

    def look_then_replace(part: Path, target: Path) -> Path:
        seen.append([path.suffix for path in messages.iterdir()])
        return replace(part, target)

    monkeypatch.setattr(Path, "replace", look_then_replace)
    queue.put(1)
    assert seen == [[".part"]]
    assert [path.suffix for path in messages.iterdir()] == [".msg"]


def test_an_unreadable_message_is_dropped_and_the_next_one_read(queue, messages, tmp_path, caplog):
    (messages / f"0_torn.{tmp_path.name}.msg").write_text('{"body": "W1s')
    queue.put(1)
    with caplog.at_level(logging.WARNING):
        assert queue.get(timeout=10).payload == 1
    assert "dropped an unreadable message" in caplog.text
    assert list(messages.iterdir()) == []
