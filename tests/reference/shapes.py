"""Tables of groups whose shape is known, for tests of starts: shapes() yields (name, rows, number of groups).

Each is like a table of the usual suites of clustering problems (the fundamental clustering problems, the sets of Fränti and
Sieranoja, of Graves and Pedrycz), made here from its description. The seeds are fixed: the same tables everywhere.
"""
import numpy as np


def around(r, centres, sizes, widths=1.0):
    """Gaussian groups: a centre, a size and a width each, or one for all."""
    centres = np.asarray(centres, float)
    sizes, widths = (np.broadcast_to(v, len(centres)) for v in (sizes, widths))
    return np.concatenate([r.normal(c, w, (n, len(c))) for c, n, w in zip(centres, sizes, widths)])


def ring(r, n, radius, noise, middle=(0, 0)):
    angle = r.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(angle), np.sin(angle)] * r.normal(radius, noise, n)[:, None] + middle


def grid(side, gap, d=2):
    axes = np.meshgrid(*[gap * np.arange(side)] * d)
    return np.stack([a.ravel() for a in axes], 1).astype(float)


def scattered(r, k, d, apart, size):
    """k centres in a cube, no two nearer than `apart`."""
    centres = []
    while len(centres) < k:
        c = r.uniform(0, size, d)
        if all(np.linalg.norm(c - o) >= apart for o in centres):
            centres.append(c)
    return np.array(centres)


def along_an_axis(r):
    for k in (3, 4, 6, 8):
        yield f"{k} along an axis", around(r, [[10 * i, 0] for i in range(k)], 300), k
    yield "3 along an axis, far", around(r, [[20 * i, 0] for i in range(3)], 300), 3
    yield "5 along an axis of 3", around(r, [[0, 12 * i, 0] for i in range(5)], 200), 5
    yield "4 along an axis, one column in other units", (
        around(r, [[10 * i, 0] for i in range(4)], 300) * [1, 1000]), 4
    yield "4 along an axis, that column in other units", (
        around(r, [[10 * i, 0] for i in range(4)], 300) * [1000, 1]), 4
    yield "6 along a diagonal", around(r, [[7 * i, 7 * i] for i in range(6)], 200), 6
    yield "6 along an axis, unequal", around(
        r, [[12 * i, 0] for i in range(6)], [600, 300, 150, 80, 40, 30]), 6


def in_one_column(r):
    for d in (10, 50):
        for k in (2, 3, 5):
            x = r.normal(size=(250 * k, d))
            x[:, 3] += 8 * (np.arange(250 * k) // 250)
            yield f"{k} far apart in one of {d} columns", x, k
    x = r.normal(size=(1200, 20)) * 5
    x[:, :2] = around(r, [[0, 0], [9, 0], [0, 9], [9, 9]], 300)
    yield "4 in 2 of 20 columns, the others wide", x, 4


def rings(r):
    yield "two rings", np.concatenate([ring(r, 400, 2, 0.1), ring(r, 600, 5, 0.1)]), 8
    yield "a ring about a ball", np.concatenate([around(r, [[0, 0]], 400), ring(r, 600, 8, 0.4)]), 2
    links = np.zeros((1000, 3))
    links[:500, :2] = ring(r, 500, 1, 0.05)
    links[500:, 1:] = ring(r, 500, 1, 0.05, (1, 0))
    yield "two links of a chain", links + r.normal(0, 0.02, links.shape), 6
    shell = r.normal(size=(400, 3))
    shell *= r.normal(50, 1, 400)[:, None] / np.linalg.norm(shell, axis=1)[:, None]
    yield "a shell about a core", np.concatenate([r.normal(0, 5, (400, 3)), shell]), 2
    corners = around(r, 30 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]), 15, 0.5)
    yield "a target with corners", np.concatenate([ring(r, 400, 10, 0.5), around(r, [[0, 0]], 400), corners]), 6


def unequal(r):
    yield "3 large and 5 small", around(
        r, [[0, 0], [0, 14], [6, 7], [40, 0], [40, 8], [46, 4], [52, 0], [52, 8]],
        [2000] * 3 + [100] * 5, [2, 2, 2, 1.5, 1.5, 1.5, 1.5, 1.5]), 8
    yield "one of 20 in a hundred", around(r, [[0, 0, 0], [7, 7, 0]], [1900, 100]), 2
    yield "widths from 0.2 to 5", around(
        r, [[0, 0], [10, 0], [25, 0], [50, 0], [90, 0]], 300, [0.2, 0.7, 1.5, 3, 5]), 5
    yield "sizes that halve", around(
        r, scattered(r, 6, 3, 8, 30), [1024, 512, 256, 128, 64, 32]), 6
    yield "dense in sparse", np.concatenate([around(r, [[3, 3]], 300, 0.15), r.uniform(0, 10, (700, 2))]), 2


def nested(r):
    yield "one inside the other", around(r, [[0, 0], [0, 0]], 400, [5, 0.5]), 2
    yield "three in one place", around(r, [[0, 0]] * 3, 400, [9, 2.5, 0.6]), 3
    yield "two small in a large one", around(r, [[0, 0], [4, 3], [-4, -3]], [900, 150, 150], [6, 0.5, 0.5]), 3
    yield "crossed sticks", np.concatenate([r.normal(0, [8, 0.4], (400, 2)), r.normal(0, [0.4, 8], (400, 2))]), 2
    yield "nested in 5 columns", around(r, [[0] * 5] * 2, 500, [4, 1]), 2


def with_noise(r):
    for share in (0.1, 0.3):
        groups = around(r, [[0, 0], [12, 0], [6, 10]], 300)
        noise = r.uniform([-20, -20], [32, 30], (int(900 * share / (1 - share)), 2))
        yield f"3 and noise, {share:.0%}", np.concatenate([groups, noise]), 4
    groups = around(r, scattered(r, 5, 4, 9, 24), 200)
    yield "5 and noise in 4 columns", np.concatenate([groups, r.uniform(-10, 34, (250, 4))]), 6
    groups = around(r, [[0, 0], [8, 0], [16, 0]], 300)
    yield "3 and far outliers", np.concatenate([groups, r.normal(0, 300, (10, 2))]), 3
    yield "heavy tails", np.concatenate([r.standard_t(2.5, (400, 2)), r.standard_t(2.5, (400, 2)) + [15, 0]]), 2


def many(r):
    yield "20 round ones", around(r, scattered(r, 20, 2, 8, 50), 150), 20
    yield "35 round ones", around(r, scattered(r, 35, 2, 8, 68), 150), 35
    yield "a square of 16", around(r, grid(4, 8), 100), 16
    yield "a square of 25", around(r, grid(5, 7), 100), 25
    for i, width in enumerate((1.0, 1.8, 2.4, 3.0)):
        yield f"15 that overlap, {i + 1}", around(r, scattered(r, 15, 2, 8, 44), 200, width), 15
    for d in (2, 4, 8, 16):
        yield f"9 in {d} columns", around(r, r.normal(0, 6, (9, d)), 150), 9
    for d, k in ((32, 16), (64, 8)):  # five rows a group for each column: fewer, and chance fits best
        yield f"{k} in {d} columns", around(r, r.normal(0, 2, (k, d)), 5 * d), k
    yield "27 of a cube", around(r, grid(3, 7, 3), 60), 27


def plain(r):
    yield "seven round ones", around(r, 6 * np.concatenate([np.eye(3), -np.eye(3), np.zeros((1, 3))]), 30), 7
    yield "four touching balls", around(r, 4 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]), 100, 1.3), 4
    yield "an L", np.concatenate([r.uniform([0, 0], [1, 4], (200, 2)), r.uniform([1.6, 0], [4, 0.6], (150, 2)),
                                  r.normal([3, 2.8], 0.4, (100, 2))]), 3
    yield "two diamonds", np.concatenate(
        [(r.uniform(-1, 1, (400, 2)) @ [[1, 1], [-1, 1]]) / 2 + [s, 0] for s in (-1.05, 1.05)]), 2
    slope = r.beta(1, 2, (500, 2)) * [1, 1]
    yield "two wings", np.concatenate([slope + [0, 0.4], [1.9, 0.6] - slope]), 2
    yield "energy and time", np.concatenate([r.normal([1, 1], [0.4, 1.4], (2048, 2)), r.normal([2.8, 3], [1.1, 0.7], (2048, 2))]), 2
    yield "a zigzag", np.concatenate(
        [r.uniform(0, 1, (80, 1)) * [[3, 3 if i % 2 == 0 else -3]] + [[3 * i, 0 if i % 2 == 0 else 3]]
         + r.normal(0, 0.15, (80, 2)) for i in range(5)]), 5
    t = r.uniform(-2, 2, 500)
    yield "two parabolas", np.c_[np.r_[t, t + 2], np.r_[t**2, 4.5 - t**2]] + r.normal(0, 0.2, (1000, 2)), 6
    yield "a line of lines", np.concatenate([r.normal([0, 3 * i], [8, 0.4], (150, 2)) for i in range(5)]), 5
    shear = np.array([[1, 0.95], [0, 0.3]])
    yield "5 sheared", around(r, scattered(r, 5, 2, 8, 30), 200) @ shear, 5
    yield "6 tilted each its own way", np.concatenate(
        [r.normal(size=(150, 3)) @ (r.normal(size=(3, 3)) * [3, 1, 0.3]) + c for c in scattered(r, 6, 3, 12, 40)]), 6


FAMILIES = (along_an_axis, in_one_column, rings, unequal, nested, with_noise, many, plain)


def shapes():
    for seed, family in enumerate(FAMILIES):
        yield from family(np.random.default_rng([2026, seed]))
