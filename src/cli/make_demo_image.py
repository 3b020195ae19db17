#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes demo.ppm, the picture of `weft demo`: a piece of woven cloth.

    python3 make_demo_image.py demo.ppm

Warp threads run from top to bottom and weft threads from left to right, in a twill: each weft thread goes over two warp
threads and under two, one thread further along in every row. Nothing is random, so the file is always the same.
"""
import math
import sys

WIDTH, HEIGHT = 320, 240
PITCH = 10  # pixels from one thread to the next

INDIGO, CREAM, MADDER, OCHRE, PINE = (38, 54, 112), (232, 222, 196), (168, 44, 40), (214, 158, 62), (36, 92, 74)
WARP = [INDIGO] * 6 + [CREAM] * 2 + [PINE] * 5 + [OCHRE] + [PINE] * 2
WEFT = [CREAM] * 2 + [MADDER] * 6 + [OCHRE] + [MADDER] * 3


def fibre(thread, along):
    """Twisted fibres: a faint diagonal ripple, and an irregularity of each thread's own."""
    twist = 0.05 * math.sin(2 * math.pi * along / 4.0 + thread)
    own = 0.04 * math.sin(0.11 * along + 2.4 * thread) + 0.03 * math.sin(1.7 * thread)
    return 1 + twist + own


def thread_on_top(warp, weft):
    """True where the weft thread lies above the warp thread."""
    return (warp + weft) % 4 < 2


def position_in_float(index, is_top):
    """-1 to 1 along the two crossings that a thread bridges before it dives under the next two."""
    cell = math.floor(index)
    start = cell - (1 if is_top(cell - 1) else 0)
    return index - start - 1


def pixel(x, y):
    warp, weft = x // PITCH, y // PITCH
    across_x = (x % PITCH + 0.5) / PITCH * 2 - 1
    across_y = (y % PITCH + 0.5) / PITCH * 2 - 1
    if thread_on_top(warp, weft):
        colour, across, thread, along = WEFT[weft % len(WEFT)], across_y, weft, x
        bridge = position_in_float((x + 0.5) / PITCH, lambda i: thread_on_top(i, weft))
    else:
        colour, across, thread, along = WARP[warp % len(WARP)], across_x, warp + 100, y
        bridge = position_in_float((y + 0.5) / PITCH, lambda i: not thread_on_top(warp, i))
    # A round thread, lit from the upper left, that bends down at both ends of its bridge.
    round_shade = 0.45 + 0.55 * math.sqrt(max(0.0, 1 - across * across)) - 0.10 * across
    bend_shade = 1 - 0.45 * abs(bridge) ** 4
    light = 1.08 - 0.28 * math.hypot(x / WIDTH - 0.35, y / HEIGHT - 0.3)
    shade = round_shade * bend_shade * light * fibre(thread, along + (across * 2))
    # Nothing is clipped to black or white.
    return [min(250, max(4, round(c * shade))) for c in colour]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    samples = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            samples += bytes(pixel(x, y))
    with open(sys.argv[1], "wb") as f:
        f.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + samples)


if __name__ == "__main__":
    main()
