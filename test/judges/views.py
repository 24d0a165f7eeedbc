"""Judges a view of the Sun: views.py FOLDER JSON. SunPy and reproject_interp show the image of a FITS file, with the levels "file" of the folder
(rows from the top), on a sphere above a place or on a plane of Carrington longitude by latitude. Prints the share of the pixels of the plane "drawn"
that are within a level of theirs, where both observers see the surface well enough for the view to be finer than the file."""
import json
import sys

import astropy.units as u
import numpy as np
import sunpy.map
from astropy.coordinates import SkyCoord
from sunpy.coordinates import HeliographicCarrington, HeliographicStonyhurst, Helioprojective
from sunpy.map.header_helper import make_fitswcs_header

folder, about = sys.argv[1], json.loads(sys.argv[2])
side, scale, place = about["side"], about["scale"], about["place"]
RADIUS = 6.957e8
header = sunpy.map.Map(f"{folder}/image.fits").meta
header["rsun_ref"] = RADIUS
if place is not None:
    # L0 of SunPy differs by 0.003 degrees, a twentieth of a pixel.
    header["hgln_obs"], header["hglt_obs"] = header["crln_obs"] - about["l0"], header["crlt_obs"]


def plane(name, width):
    return np.flipud(np.fromfile(f"{folder}/{name}", np.uint8).reshape(-1, width)).astype(float)


image = sunpy.map.Map(plane("file", header["naxis1"]), header)
surface = HeliographicStonyhurst(obstime=image.date)
middle = [(side - 1) / 2 - about["x"] / scale, (side - 1) / 2 - about["y"] / scale] * u.pix
if place is None:
    viewer = image.observer_coordinate
    centre = SkyCoord(180 * u.deg, 0 * u.deg, frame=HeliographicCarrington(observer=viewer, obstime=image.date))
    # A solar radius has 959.2 arcseconds from 1 au.
    pixel, projection = np.rad2deg(scale / np.rad2deg(np.arcsin(RADIUS / u.au.to(u.m))) / 3600) * u.deg / u.pix, "CAR"
else:
    viewer = SkyCoord(*(place * u.deg), image.observer_coordinate.radius, frame=surface)
    centre = SkyCoord(0 * u.arcsec, 0 * u.arcsec, frame=Helioprojective(observer=viewer, obstime=image.date, rsun=RADIUS * u.m))
    pixel, projection = scale / viewer.radius.to_value(u.au) * u.arcsec / u.pix, "TAN"
to = make_fitswcs_header((side, side), centre, reference_pixel=middle, scale=u.Quantity([pixel, pixel]), projection_code=projection)
to["rsun_ref"] = RADIUS
shown = image.reproject_to(to)
rows, columns = np.mgrid[0:side, 0:side]
point = shown.pixel_to_world(columns * u.pix, rows * u.pix).transform_to(surface).cartesian.xyz.to_value(u.m) / RADIUS


def cosine(observer):
    sight = observer.transform_to(surface).cartesian.xyz.to_value(u.m)[:, None, None] / RADIUS - point
    return (sight * point).sum(axis=0) / np.sqrt((sight**2).sum(axis=0))


with np.errstate(invalid="ignore"):
    judged = np.isfinite(shown.data) & (cosine(image.observer_coordinate) > 0.15) & (cosine(viewer) > 0.55)
off = np.abs(plane("drawn", side) - shown.data)[judged]
print(json.dumps({"within": float((off <= 1).mean()), "mean": float(off.mean()), "count": int(off.size)}))
