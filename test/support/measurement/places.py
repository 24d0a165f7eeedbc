"""Reads JSON [[keywords, pixels], ...] on stdin; writes for each the arcseconds that astropy has for its pixels (1-based)."""
import json
import sys

from astropy.io.fits import Header
from astropy.wcs import WCS

answers = []
for keywords, pixels in json.load(sys.stdin):
    header = Header()
    for name, value in keywords.items():
        header[name] = value
    wcs = WCS(header)
    world = wcs.all_pix2world(pixels, 1)
    answers.append([[((x + 180) % 360 - 180) * 3600, y * 3600] for x, y in world.tolist()])
print(json.dumps(answers))
