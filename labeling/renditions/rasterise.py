"""Run as a program: an SVG on standard input, a PNG on standard output.

A process of its own, with limits on time and memory, because drawing can be made to take for ever (one filter
attribute is enough) or to exhaust the stack of native code, and neither may take the worker down.
Arguments: box width and height in pixels, seconds of processor time, bytes of memory, "fonts" or "no-fonts".
Exit status 3 means that the SVG was refused; the reason is on standard error.
"""

from __future__ import annotations

import sys


def main(width: int, height: int, seconds: int, memory: int, *, fonts: bool) -> int:
    try:
        import resource
    except ImportError:  # not on Windows; the parent's time-out still holds
        pass
    else:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import resvg_py

    try:
        png = resvg_py.svg_to_bytes(
            svg_string=sys.stdin.buffer.read().decode("utf-8"),
            width=width,
            height=height,
            dpi=96,  # of CSS; without it lengths in mm or pt have no size
            skip_system_fonts=not fonts,
        )
    except ValueError as error:
        sys.stderr.write(str(error))
        return 3
    sys.stdout.buffer.write(png)
    return 0


if __name__ == "__main__":
    box_width, box_height, cpu_seconds, memory_bytes = map(int, sys.argv[1:5])
    sys.exit(main(box_width, box_height, cpu_seconds, memory_bytes, fonts=sys.argv[5] == "fonts"))
