"""Reads JSON [{"from": observer, "to": observer, "days", "places": [[x, y], ...]}, ...] on stdin, an observer as {"b0", "distance"} in
degrees and solar radii on the meridian of the Earth. Writes where the places (arcseconds) are after differential rotation, null behind the
limb: vectors in a frame fixed to the solar equator, without the code of the service. The longitude of the Earth advances as on its ellipse."""
import json
import sys

import numpy as np

ARCSEC = np.pi / 648000


def toward(b0):
    """Rows: west, north and towards the observer, in equatorial coordinates with x towards the observer's meridian."""
    c, s = np.cos(b0), np.sin(b0)
    return np.array([[0, 1, 0], [-s, 0, c], [c, 0, s]])


def rotated(case, place):
    b0, distance = np.radians(case["from"]["b0"]), case["from"]["distance"]
    x, y = np.array(place) * ARCSEC
    sight = np.array([np.cos(y) * np.sin(x), np.sin(y), -np.cos(y) * np.cos(x)])
    eye = np.array([0, 0, distance])
    half = eye @ sight
    point = eye + (-half - np.sqrt(half**2 - distance**2 + 1)) * sight
    px, py, pz = toward(b0).T @ point
    latitude, longitude = np.arcsin(pz), np.arctan2(py, px)
    s2 = np.sin(latitude) ** 2
    sun = np.degrees((2.894 - 0.428 * s2 - 0.370 * s2**2) * 1e-6) * 86400
    au = (case["from"]["distance"] + case["to"]["distance"]) / 2 / 215.0321
    earth = 0.9856077 * np.sqrt(1 - 0.0167**2) / au**2
    longitude += np.radians((sun - earth) * case["days"])
    point = np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
    west, north, near = toward(np.radians(case["to"]["b0"])) @ point
    distance = case["to"]["distance"]
    if near < 1 / distance:
        return None
    away = np.array([west, north, near - distance])
    return [np.arctan2(away[0], -away[2]) / ARCSEC, np.arcsin(away[1] / np.linalg.norm(away)) / ARCSEC]


print(json.dumps([[rotated(case, place) for place in case["places"]] for case in json.load(sys.stdin)]))
