# What filters and composites of a picture are by their definitions (docs/api.md, filters), computed with numpy and scipy alone. Reads the
# planes that a test wrote, and prints numbers as JSON.
import json
import sys

import numpy as np
from scipy import ndimage

folder = sys.argv[2]


def plane(name, shape=None):
    data = np.fromfile(f"{folder}/{name}", np.uint8)
    return data.reshape(shape if shape else (int(len(data) ** 0.5), -1)).astype(float)


def distances(levels, about):
    rows, columns = np.indices(levels.shape)
    return np.hypot(columns - about["x"], rows - about["y"])


def differences(found, expected, counted):
    off = np.abs(found - expected)[counted]
    return {"mean": off.mean(), "p99": np.percentile(off, 99)}


def rhef(about):
    """Mid-ranks among the pixels of an annulus of one pixel (Gilly and Cranmer 2025), faded where noise hides them (docs/api.md)."""
    levels = plane("levels")
    radius = distances(levels, about)
    annulus = np.floor(radius).astype(int)
    expected = np.zeros_like(levels)
    for one in range(annulus.max() + 1):
        within = annulus == one
        counts = np.bincount(levels[within].astype(int), minlength=256)
        ranks = (np.cumsum(counts) - counts / 2) / counts.sum()
        width = np.flatnonzero(ranks <= 0.95)[-1] - np.flatnonzero(ranks >= 0.05)[0]
        dark = min(1, 4 * ranks[0])
        byte = levels[within].astype(int)
        clarity = (1 - dark) * np.clip(width / 12, 0, 1) + dark * np.minimum(1, byte / 12)
        expected[within] = byte + clarity * (255 * ranks[byte] - byte)
    expected[levels == 0] = 0
    # In an image of 256 pixels the annuli near the centre are small, and those at the limb hold disc and corona.
    counted = (radius >= 32) & (radius < 0.8 * about["limb"])
    return differences(plane("rhef"), expected, counted)


def mgn(_):
    """Multi-scale Gaussian normalisation (Morgan and Druckmueller 2014); the structural similarity is that of Wang and others 2004."""
    levels, detail = plane("levels"), 0
    for sigma in [1.25, 2.5, 5, 10, 20, 40]:
        blurred = lambda data: ndimage.gaussian_filter(data, sigma, mode="nearest", truncate=3)
        rest = levels - blurred(levels)
        deviation = np.sqrt(blurred(rest**2))
        detail = detail + np.arctan(0.7 * np.divide(rest, deviation, out=np.zeros_like(rest), where=deviation > 0)) / 6
    expected = np.floor(255 * np.clip((0.7 * (levels / 255) ** (1 / 3.2) + 0.3 * detail + 0.2) / 1.2, 0, 1) + 0.5)
    found = plane("mgn")
    mean = lambda data: ndimage.gaussian_filter(data, 1.5)
    a, b = mean(found), mean(expected)
    variances = mean(found**2) - a**2, mean(expected**2) - b**2
    covariance = mean(found * expected) - a * b
    c1, c2 = 2.55**2, 7.65**2
    similarity = (2 * a * b + c1) * (2 * covariance + c2) / ((a**2 + b**2 + c1) * (sum(variances) + c2))
    sides = {"left": similarity[:, :40], "right": similarity[:, -40:], "top": similarity[:40], "bottom": similarity[-40:]}
    edges = {side: pixels.mean() for side, pixels in sides.items()}
    return {"similarity": similarity[40:-40, 40:-40].mean(), **edges, **differences(found, expected, levels >= 0)}


def composite(_):
    """Red, green and blue light of three images, added on black."""
    found = plane("composite", (-1, 3))
    expected = np.stack([plane(name, (-1,)) for name in ("red", "green", "blue")], axis=1)
    return {"different": int((found != expected).any(axis=1).sum()), "brightest": found.max()}


print(json.dumps(globals()[sys.argv[1]](json.loads(sys.argv[3]))))
