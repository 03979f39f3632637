import io

from labeling.progress import PrintProgress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def go_through(progress: PrintProgress) -> None:
    with progress:
        progress.step("Reading", 3)
        progress.advance(2)
        progress.advance()
        progress.step("Publishing")


def test_a_log_gets_one_line_a_step_with_how_far_it_came():
    log = io.StringIO()
    go_through(PrintProgress(log))
    assert log.getvalue() == "Reading: 3 of 3\nPublishing\n"


def test_a_terminal_sees_the_count_change_in_place():
    terminal = Terminal()
    go_through(PrintProgress(terminal))
    first, second, end = terminal.getvalue().split("\n")
    assert first.split("\r")[:3] == ["Reading: 0 of 3", "Reading: 2 of 3", "Reading: 3 of 3"]
    assert second.split("\r")[-1] == "Publishing"
    assert end == ""


def test_a_terminal_is_written_to_once_a_percent_however_many_things_there_are():
    terminal = Terminal()
    with PrintProgress(terminal) as progress:
        progress.step("Storing", 100_000)
        for _ in range(100_000):
            progress.advance()
    # The step's beginning, 0 % to 100 %, and the end of the line.
    assert terminal.getvalue().count("Storing") == 1 + 101 + 1
