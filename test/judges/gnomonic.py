# Reprojects an image (the plane "file" of a folder, rows from the top) to a gnomonic plane about the Sun's centre by reproject_interp, and
# compares the plane "drawn" with it. Prints the shares of pixels within a level, and the count.
import json
import sys

import numpy as np
from astropy.wcs import WCS
from reproject import reproject_interp

folder, about = sys.argv[1], json.loads(sys.argv[2])


def plane(name, height, width):
    return np.flipud(np.fromfile(f"{folder}/{name}", np.uint8).reshape(height, width)).astype(float)


def wcs(keywords):
    # Celestial axes of the same numbers, so that no frame of the Sun is needed.
    made = WCS(naxis=2)
    made.wcs.ctype = ["RA---TAN", "DEC--TAN"]
    made.wcs.cunit = ["arcsec", "arcsec"]
    made.wcs.crpix, made.wcs.cdelt, made.wcs.crval, made.wcs.pc = (keywords[name] for name in ("crpix", "cdelt", "crval", "pc"))
    return made


width, height = about["from"]["naxis"]
side = about["to"]["naxis"][0]
expected = reproject_interp((plane("file", height, width), wcs(about["from"])), wcs(about["to"]), (side, side), return_footprint=False)
off = np.abs(plane("drawn", side, side) - expected)[np.isfinite(expected)]
print(json.dumps({"within": float((off <= 1).mean()), "count": int(off.size)}))
