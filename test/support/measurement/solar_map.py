"""Reads JSON {"fits": base64 of a Carrington map, "atDays", "method", "images": [{"bytes": base64, "size", "values": [256], "days", "crln", "b0",
"distance" (m), "cdelt", "crpix": [x, y]}, ...]} on stdin. Writes how far the map is from the definition of its weights, computed by angles in
the frame of Carrington, whose places drift by the difference of the rotations, with numpy alone: shares of cells and medians."""
import base64
import io
import json
import sys

import numpy as np

RADIUS = 6.957e8
case = json.load(sys.stdin)


def units(file):
    """Headers as dictionaries of text, and data."""
    at, found = 0, []
    while at < len(file):
        cards = {}
        while True:
            block, at = file[at : at + 2880].decode("latin1"), at + 2880
            for i in range(0, 2880, 80):
                cards.setdefault(block[i : i + 8].strip(), block[i + 10 : i + 80].split(" /")[0].strip().strip("'").strip())
            if "END" in cards:
                break
        shape = [int(cards[f"NAXIS{i}"]) for i in (2, 1)]
        kind = {"-32": ">f4", "8": "u1"}[cards["BITPIX"]]
        length = shape[0] * shape[1] * np.dtype(kind).itemsize
        found.append((cards, np.frombuffer(file[at : at + length], kind).reshape(shape).astype(float)))
        at += -(-length // 2880) * 2880
    return found


(header, values), (_, ages), (_, counts) = units(base64.b64decode(case["fits"]))
number = lambda name: float(header[name])
row, column = np.mgrid[1 : values.shape[0] + 1, 1 : values.shape[1] + 1].astype(float)
longitude = number("CRVAL1") + (column - number("CRPIX1")) * number("CDELT1")
y = (row - number("CRPIX2")) * number("CDELT2")
latitude = np.radians(y) if header["CTYPE2"] == "CRLT-CAR" else np.arcsin(np.radians(y))
s2 = np.sin(latitude) ** 2
drift = np.degrees((2.894 - 0.428 * s2 - 0.370 * s2**2) * 1e-6) * 86400 - 14.1844

total, weights, aged, seen = (np.zeros(values.shape) for _ in range(4))
best = np.full(values.shape, -np.inf)
for time, image in enumerate(case["images"]):
    away = np.radians(longitude + drift * (image["days"] - case["atDays"]) - image["crln"])
    b0, far = np.radians(image["b0"]), image["distance"] / RADIUS
    west = np.cos(latitude) * np.sin(away)
    ahead = np.cos(latitude) * np.cos(away)
    north, near = np.sin(latitude) * np.cos(b0) - ahead * np.sin(b0), np.sin(latitude) * np.sin(b0) + ahead * np.cos(b0)
    sight = np.array([-west, -north, far - near])
    mu = (west * sight[0] + north * sight[1] + near * sight[2]) / np.linalg.norm(sight, axis=0)
    scale = np.degrees(1) * 3600 / image["cdelt"]
    x = image["crpix"][0] - 1 + west / (far - near) * scale
    down = image["size"] - image["crpix"][1] - north / (far - near) * scale
    samples = np.array(image["values"])[np.frombuffer(base64.b64decode(image["bytes"]), "u1")].reshape(image["size"], -1)
    i, j = (np.clip(np.floor(p).astype(int), 0, image["size"] - 2) for p in (x, down))
    u, v = x - i, down - j
    value = (1 - v) * ((1 - u) * samples[j, i] + u * samples[j, i + 1]) + v * ((1 - u) * samples[j + 1, i] + u * samples[j + 1, i + 1])
    age = (case["atDays"] - image["days"]) * 86400
    visible = mu >= 0.15
    if case["method"] == "weighted":
        weight = np.where(visible, mu**2 * np.exp(-((age / 86400) ** 2) / 2), 0)
        total, weights, aged, seen = total + weight * value, weights + weight, aged + weight * age, seen + visible
    else:
        score = np.where(visible, -time if case["method"] == "latest" else np.cos(away), -np.inf)
        chosen = score > best
        total, aged, best = np.where(chosen, value, total), np.where(chosen, age, aged), np.maximum(score, best)
        weights = np.where(np.isfinite(best), 1, 0)
        seen = weights
with np.errstate(invalid="ignore", divide="ignore"):
    expected, expected_age = total / weights, aged / weights
both = np.isfinite(values) & np.isfinite(expected)
difference = np.abs(values - expected)[both] / np.abs(expected[both])
print(json.dumps({
    "covered": both.mean(),
    "unlike": (np.isfinite(values) != np.isfinite(expected)).mean(),
    "median": np.median(difference),
    "percentile99": np.percentile(difference, 99),
    "age": np.median(np.abs(ages - expected_age)[both]),
    "ages": [np.nanmin(ages), np.nanmax(ages)],
    "counts": [int(counts[both].min()), int(counts.max()), int((counts[~np.isfinite(values)]).max(initial=0))],
    "countsAbove": (counts[both] > seen[both]).mean(),
}))
