"""Judges a map of the Sun: solar-map.py SERVICE FOLDER. SunPy opens the file, and moves and projects each image to it with
propagate_with_solar_surface and reproject; numpy weighs them. Prints how far the map of the service is from theirs, as JSON."""
import json
import sys
import urllib.request

import astropy.units as u
import numpy as np
import sunpy.map
from astropy.coordinates import CartesianRepresentation
from sunpy.coordinates import HeliographicStonyhurst, propagate_with_solar_surface

SERVICE, FOLDER = sys.argv[1:3]
DATE = "2024-05-10T12:00:00Z"
TIMES = ["2024-05-10T12:00:00Z", "2024-05-09T12:00:00Z", "2024-05-08T12:00:00Z", "2024-05-07T12:00:00Z"]


def opened(name, path):
    file = f"{FOLDER}/{name}.fits"
    with urllib.request.urlopen(SERVICE + path) as response, open(file, "wb") as out:
        out.write(response.read())
    return sunpy.map.Map(file)


values, age, count = opened("map", f"/v2/getSolarMap/?sourceId=10&date={DATE}&width=360&format=fits")
rows, columns = np.mgrid[0 : values.data.shape[0], 0 : values.data.shape[1]]
places = values.pixel_to_world(columns * u.pix, rows * u.pix)
off = max(np.abs(places.lon.deg - (columns + 0.5)).max(), np.abs(places.lat.deg - (rows - 89.5)).max())

total, weights, aged = (np.zeros(values.data.shape) for _ in range(3))
for time in TIMES:
    image = opened("image", f"/v2/getImageData/?sourceId=10&date={time}")
    image.meta["rsun_ref"] = 6.957e8
    with propagate_with_solar_surface():
        moved = image.reproject_to(values.wcs)
        seen = places.transform_to(HeliographicStonyhurst(obstime=image.date))
    point = (seen.spherical.represent_as(CartesianRepresentation).xyz / np.sqrt((seen.cartesian.xyz**2).sum(axis=0))).value
    eye = image.observer_coordinate.transform_to(HeliographicStonyhurst(obstime=image.date)).cartesian.xyz.to_value(u.m) / 6.957e8
    sight = eye[:, None, None] - point
    mu = (sight * point).sum(axis=0) / np.sqrt((sight**2).sum(axis=0))
    days = (values.date - image.date).to_value(u.day)
    weight = np.where((mu >= 0.15) & np.isfinite(moved.data), mu**2 * np.exp(-(days**2) / 2), 0)
    total, weights, aged = total + weight * np.nan_to_num(moved.data), weights + weight, aged + weight * days * 86400
with np.errstate(invalid="ignore"):
    expected = np.where(weights > 0, total / weights, np.nan)
    expected_age = np.where(weights > 0, aged / weights, np.nan)
both = np.isfinite(values.data) & np.isfinite(expected)
difference = (values.data - expected)[both]
across, along = (part[both] for part in np.gradient(expected))
clean = np.isfinite(across) & np.isfinite(along)
slopes = np.stack([along[clean], across[clean]], axis=1)
shift = np.linalg.lstsq(slopes, difference[clean], rcond=None)[0]
print(json.dumps({
    "frame": values.coordinate_frame.name,
    "off": float(off),
    "covered": float(both.mean()),
    "unlike": float((np.isfinite(values.data) != np.isfinite(expected)).mean()),
    "median": float(np.median(np.abs(difference) / np.abs(expected[both]))),
    "shiftDegrees": [float(part) for part in shift],
    "ageSeconds": float(np.median(np.abs(age.data - expected_age)[both])),
    "images": int(count.data.max()),
}))
