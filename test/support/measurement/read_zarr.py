"""Reads a store of images, whose address is the argument, with zarr-python and, where it is installed, xarray. Writes JSON: for each level
the SHA-256 of its bytes and values, and what the coordinates say."""
import hashlib
import json
import sys

import zarr

base = sys.argv[1]
store = zarr.open_consolidated(base, mode="r")
levels = {}
for path in store.attrs["levels"]:
    level = store[path]
    cubes = {name: level[name][...] for name in ("bytes", "values") if name in level}
    levels[path] = {
        "shape": list(level["bytes"].shape),
        "time": level["time"][...].tolist(),
        "id": level["id"][...].tolist(),
        "units": level["values"].attrs["units"],
        **{name: hashlib.sha256(cube.tobytes()).hexdigest() for name, cube in cubes.items()},
    }
answer = {"levels": levels}
try:
    import xarray

    dataset = xarray.open_zarr(base, group=store.attrs["levels"][0], consolidated=True, chunks=None)
    answer["xarray"] = {
        "dimensions": list(dataset["values"].dims),
        "times": [str(time)[:23] for time in dataset["time"].values],
        "mean": float(dataset["values"].sel(time=dataset["time"][0]).mean()),
    }
except ImportError:
    answer["xarray"] = None
print(json.dumps(answer))
