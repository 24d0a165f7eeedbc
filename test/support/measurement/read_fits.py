"""Reads JSON [{"fits": base64, "keywords": {...}, "left": n, "below": n, "factor": n}, ...] on stdin. Writes for each what astropy reads: shape,
type, unit, history, values (float64 in base64, row by row from the bottom), and the greatest distance in pixels of the image between
the places that the file gives its pixels and those that the keywords of the original give them."""
import base64
import io
import json
import sys

import numpy as np
from astropy.io import fits
from astropy.wcs import WCS

answers = []
for case in json.load(sys.stdin):
    with fits.open(io.BytesIO(base64.b64decode(case["fits"]))) as file:
        file.verify("exception")
        hdu = file[0]
        data, header = hdu.data, hdu.header
        original = fits.Header()
        for name, value in case["keywords"].items():
            original[name] = value
        y, x = np.mgrid[1 : data.shape[0] + 1, 1 : data.shape[1] + 1]
        world = WCS(header).all_pix2world(np.column_stack([x.ravel(), y.ravel()]), 1)
        placed = WCS(original).all_world2pix(world, 1)
        factor = case["factor"]
        expected = np.column_stack([case["left"] + (x.ravel() - 0.5) * factor + 0.5, case["below"] + (y.ravel() - 0.5) * factor + 0.5])
        answers.append({
            "shape": data.shape,
            "type": data.dtype.name,
            "unit": header.get("BUNIT"),
            "history": " ".join(str(header.get("HISTORY", "")).split("\n")),
            "offset": float(np.hypot(*(placed - expected).T).max()),
            "values": base64.b64encode(np.ascontiguousarray(data, dtype="<f8").tobytes()).decode(),
        })
print(json.dumps(answers, default=str))
