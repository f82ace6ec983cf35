"""A picture in few colours: k-means over its pixels.

    python examples/colours.py [PICTURE.ppm] [COLOURS] [OUT.ppm]

Without a picture it paints one: hills at sunset. Each pixel is a row of three numbers (red, green,
blue); each cluster becomes one colour, the mean of its pixels, so that the sum of squared errors is
least. PPM is read and written here; other formats: `convert photo.jpg photo.ppm` (ImageMagick).
"""

import sys

import numpy as np

import craton


def paint(width=240, height=160):
    """Hills at sunset, with some grain."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    sky = np.array([40, 60, 130]) + y[..., None] * np.array([210, 90, -30])
    sun = np.exp(-((x - 0.7) ** 2 + (y - 0.52) ** 2) / 0.006)[..., None]
    picture = sky + sun * np.array([60, 120, 70])
    for depth, (base, wave, colour) in enumerate(
        [(0.62, 5, (96, 74, 110)), (0.72, 9, (62, 66, 78)), (0.84, 14, (28, 44, 38))]
    ):
        ridge = base + 0.05 * np.sin(wave * x + 2 * depth) + 0.02 * np.sin(3.7 * wave * x)
        shade = 1 + 0.5 * np.clip(y - ridge, 0, 1)
        picture = np.where((y > ridge)[..., None], np.array(colour) * shade[..., None], picture)
    grain = np.random.default_rng(0).normal(scale=4, size=picture.shape)
    return np.clip(picture + grain, 0, 255).astype(np.uint8)


def read_ppm(path):
    with open(path, "rb") as file:
        data = file.read()
    words = data.split(maxsplit=4)
    if words[0] != b"P6" or words[3] != b"255":
        sys.exit(f"{path}: not a binary PPM picture of 8 bits (P6)")
    width, height = int(words[1]), int(words[2])
    pixels = np.frombuffer(data[-3 * width * height :], dtype=np.uint8)
    return pixels.reshape(height, width, 3)


def write_ppm(path, picture):
    height, width, _ = picture.shape
    with open(path, "wb") as file:
        file.write(b"P6 %d %d 255\n" % (width, height) + picture.tobytes())


def main(source=None, colours="8", target="few-colours.ppm"):
    picture = paint() if source is None else read_ppm(source)
    pixels = picture.reshape(-1, 3).astype(float)
    model = craton.KMeans(n_clusters=int(colours)).fit(pixels)
    palette = np.round(model.cluster_centers_).astype(np.uint8)
    write_ppm(target, palette[model.labels_].reshape(picture.shape))
    different = len(np.unique(pixels, axis=0))
    error = np.sqrt(model.inertia_ / pixels.size)
    print(f"{different} colours became {len(palette)}; off by {error:.1f} of 255 (root mean square)")
    for colour, weight in zip(palette, np.bincount(model.labels_) / len(pixels)):
        print(f"  #{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}  {weight:6.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
