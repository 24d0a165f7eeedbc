"""What a scientist would write with glymur, numpy and scipy on local files, for the cases of `npm run bench -- measure`. Reads JSON
{"case", "files", "minutes", "box" | "path" | "places"} on stdin, of images of AIA 171; writes {"seconds", "result"}."""
import base64
import json
import re
import sys
import time

import glymur
import numpy as np
from scipy.ndimage import map_coordinates

asked = json.load(sys.stdin)
COUNTS = np.arange(256.0) + 0.5
COUNTS[0], COUNTS[255] = 1, 255  # Censored pixels count as the edges beyond which they lie.
VALUES = 5 + (1 + 39 * COUNTS / 255.9999) ** 2


class Image:
    """A file with the keywords that place its pixels."""

    def __init__(self, name):
        self.jp2 = glymur.Jp2k(name)
        with open(name, "rb") as file:
            text = file.read(65536).decode("latin1")
        keyword = lambda key: float(re.search(rf"<{key}>([^<]+)", text).group(1))
        self.height, self.width = self.jp2.shape[:2]
        self.crpix = keyword("CRPIX1"), keyword("CRPIX2")
        self.cdelt = keyword("CDELT1"), keyword("CDELT2")
        self.b0 = np.radians(keyword("CRLT_OBS"))
        self.distance = keyword("DSUN_OBS") / 695.7e6

    def indices(self, x, y):
        """Column and row of a place in arcseconds; rows from the top."""
        return self.crpix[0] - 1 + x / self.cdelt[0], self.height - (self.crpix[1] + y / self.cdelt[1])

    def window(self, x, y):
        """The inverted values around places, and the indices of the places in them."""
        columns, rows = self.indices(x, y)
        c0, c1 = int(np.nanmin(columns)), int(np.nanmax(columns)) + 2
        r0, r1 = int(np.nanmin(rows)), int(np.nanmax(rows)) + 2
        return VALUES[self.jp2[r0:r1, c0:c1]], columns - c0, rows - r0


def value(image, minutes):
    (x, y), = asked["places"]
    column, row = (int(round(i)) for i in image.indices(x, y))
    return VALUES[image.jp2[row:row + 1, column:column + 1]][0, 0]


def light_curve(image, minutes):
    x, y, side = asked["box"]
    half = side / 2
    left, bottom = image.indices(x - half, y - half)
    right, top = image.indices(x + half, y + half)
    pixels = image.jp2[int(np.ceil(top)):int(np.floor(bottom)) + 1, int(np.ceil(left)):int(np.floor(right)) + 1]
    return VALUES[pixels].mean()


def time_distance(image, minutes):
    (x0, y0), (x1, y1) = asked["path"]
    length = np.hypot(x1 - x0, y1 - y0)
    along = np.arange(0, length, image.cdelt[0]) / length
    values, columns, rows = image.window(x0 + (x1 - x0) * along, y0 + (y1 - y0) * along)
    return map_coordinates(values, [rows, columns], order=1)


def rotated(image, x, y, days):
    """Places after differential rotation (Howard, Harvey and Forgach 1990), for an observer that moves with the Earth."""
    a, b = np.radians(x / 3600), np.radians(y / 3600)
    sight = np.stack([np.cos(b) * np.sin(a), np.sin(b), -np.cos(b) * np.cos(a)])
    nearest = -image.distance * sight[2]
    reach = nearest - np.sqrt(nearest ** 2 - image.distance ** 2 + 1)
    px, py, pz = reach * sight[0], reach * sight[1], image.distance + reach * sight[2]
    sin, cos = np.sin(image.b0), np.cos(image.b0)
    latitude = np.arcsin(py * cos + pz * sin)
    rate = 2.894 - 0.428 * np.sin(latitude) ** 2 - 0.370 * np.sin(latitude) ** 4
    longitude = np.arctan2(px, pz * cos - py * sin) + rate * 1e-6 * 86400 * days - np.radians(0.9856) * days
    u, v, w = np.cos(latitude) * np.sin(longitude), np.sin(latitude), np.cos(latitude) * np.cos(longitude)
    px, py, pz = u, v * cos - w * sin, v * sin + w * cos
    depth = image.distance - pz
    return 3600 * np.degrees(np.arctan2(px, depth)), 3600 * np.degrees(np.arctan2(py, np.hypot(px, depth)))


def cutout(image, minutes):
    x, y, side = asked["box"]
    cells = int(round(side / 0.6))
    offsets = (np.arange(cells) + 0.5) * 0.6 - side / 2
    columns, rows = image.indices(*rotated(image, *np.meshgrid(x + offsets, y + offsets), minutes / 1440))
    return map_coordinates(VALUES[image.jp2[:]], [rows, columns], order=1)


CASES = {"value": value, "curve": light_curve, "map": time_distance, "cutout": cutout}
begin = time.perf_counter()
results = [CASES[asked["case"]](Image(name), minutes) for name, minutes in zip(asked["files"], asked["minutes"])]
seconds = time.perf_counter() - begin
print(json.dumps({"seconds": seconds, "result": base64.b64encode(np.asarray(results, dtype="<f4").tobytes()).decode()}))
