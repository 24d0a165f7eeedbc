"""Images and values of a helioedge service: files, cubes, curves and pictures. Importing it registers a client with SunPy's Fido."""
import csv
import io
import json
import os
import re
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import requests

_url = os.environ.get("HELIOEDGE_URL", "http://127.0.0.1:8787").rstrip("/")
_session = requests.Session()
_catalogues = {}
#: Field of view of pictures, about the centre of the Sun.
FRAME = {"x0": 0, "y0": 0, "width": 1024, "height": 1024}


class HelioedgeError(RuntimeError):
    """A sentence of the service about a request that it does not answer. `status`: that of HTTP; `parameter`: the one at fault, or None."""

    def __init__(self, sentence, status=None, parameter=None):
        super().__init__(sentence)
        self.status, self.parameter = status, parameter


def use(url):
    """Sets the address of the service for all following calls."""
    global _url
    _url = url.rstrip("/")


def date_text(value):
    """A time as the service takes it: of text, datetime (UTC unless it has a zone), numpy.datetime64, pandas or astropy."""
    if hasattr(value, "isot"):
        return value.utc.isot + "Z"
    if isinstance(value, datetime) and value.tzinfo:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    parts = re.fullmatch(r"(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?\d*)?Z?", str(value).strip())
    return str(value) if parts is None else "{}-{}-{}T{}{}Z".format(*parts.groups()[:3], parts[4] or "00:00", parts[5] or ":00")


def request(path, /, **parameters):
    """The response to a GET request; parameters that are None are left out. A busy service is asked for three minutes. Raises HelioedgeError."""
    # Limits are of a minute.
    url, deadline = path if "://" in path else f"{_url}{path}", time.monotonic() + 180
    text = lambda value: value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), default=float)  # noqa: E731
    asked = {name: text(value) for name, value in parameters.items() if value is not None}
    while True:
        try:
            response = _session.get(url, params=asked, timeout=120)
        except requests.RequestException as error:
            raise HelioedgeError(f"{_url} does not respond: {type(error).__name__}.") from error
        wait = response.headers.get("Retry-After", "") if response.status_code in (429, 503) else ""
        if not wait.isdigit() or time.monotonic() + int(wait) > deadline:
            break
        time.sleep(int(wait))
    if response.ok:
        return response
    body = response.json() if "json" in response.headers.get("Content-Type", "") else {}
    sentence = body.get("error", f"{_url} answered with status {response.status_code}.")
    raise HelioedgeError(sentence, response.status_code, body.get("parameter"))


def _leaves(node, path=()):
    if "sourceId" in node:
        yield {"id": node["sourceId"], "name": node["nickname"], "path": path, "start": node["start"], "end": node["end"]}
    else:
        for name, child in node.items():
            yield from _leaves(child, (*path, name))


def sources():
    """The datasources with images: dicts with `id`, `name`, `path` (names from observatory to measurement), `start` and `end`."""
    if _url not in _catalogues:
        _catalogues[_url] = list(_leaves(request("/v2/getDataSources/").json()))
    return _catalogues[_url]


def source_id(source):
    """The id of a datasource by its id, its name (`AIA 171`) or the names of its path (`SDO AIA 171`)."""
    if isinstance(source, int) or str(source).isdigit():
        return int(source)
    name = str(source).lower().split()
    for each in sources():
        if name in (each["name"].lower().split(), " ".join(each["path"]).lower().split()):
            return each["id"]
    raise HelioedgeError(f"Expected the id or the name of a datasource, such as AIA 171, got {source}.", parameter="source")


def _seconds(value):
    """Seconds of a number, a timedelta or a quantity."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.to_value("s") if hasattr(value, "to_value") else value


def _range(source, start, end):
    return {"sourceId": source_id(source), "startTime": date_text(start), "endTime": date_text(end)}


def images(source, start, end, cadence=None):
    """
    The images of a datasource in a range of time, oldest first: dicts with `id`, `date`, `name`, `size`, `sha256` and the address `jp2`.
    With a cadence (seconds, timedelta or quantity) the image nearest to each step instead of all.
    """
    asked = _range(source, start, end)
    found, after = [], None
    while True:
        page = request("/v2/listImages/", **asked, after=after, format="json").json()
        found, after = found + page["images"], page["next"]
        if after is None:
            break
    if not cadence or not found:
        return found
    nearest = {}
    for image in found:
        since = datetime.fromisoformat(image["date"][:19]) - datetime.fromisoformat(asked["startTime"][:19])
        at = since.total_seconds() / _seconds(cadence)
        if round(at) not in nearest or abs(at - round(at)) < nearest[round(at)][0]:
            nearest[round(at)] = (abs(at - round(at)), image)
    return [image for _, image in nearest.values()]


def fetch(files, path="."):
    """Saves the files of `images`, or of (address, name) pairs, in a folder, except those that are there. Returns their paths."""
    pairs = [(file["jp2"], file["name"]) if isinstance(file, dict) else file for file in files]
    targets = [(url, Path(path) / name) for url, name in pairs]
    return [str(target if target.exists() else save(request(url).content, target)) for url, target in targets]


def save(content, filename):
    """Writes a file, which has its name once it is complete. Returns its path."""
    part = Path(f"{filename}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(content)
    return part.replace(filename)


def open(source, start, end, cadence="all", level=0):
    """
    The images of a range, or one each cadence (seconds, timedelta or quantity), as an `xarray.Dataset` of (time, y, x), which reads what is
    computed. Level 0 has full resolution, each further one half of it.
    """
    import xarray
    asked = [*map(str, _range(source, start, end).values()), cadence if cadence == "all" else f"{_seconds(cadence):g}"]
    base = request(f"/zarr/{'/'.join(asked)}/").url
    levels = request(f"{base}.zattrs").json()["levels"]
    if level >= len(levels):
        raise HelioedgeError(f"Expected a level from 0 to {len(levels) - 1}, got {level}.", parameter="level")
    return xarray.open_zarr(base, group=levels[level], chunks=None, mask_and_scale=False)


def _plain(numbers):
    """Numbers, quantities in arcseconds."""
    return numbers and [number.to_value("arcsec") if hasattr(number, "to_value") else number for number in numbers]


def region(box=None, circle=None, polygon=None, event=None, frame=None):
    """Parameters of a region: box (x, y, width, height) or circle (x, y, radius) in arcseconds, polygon ((x, y), ...), or an event of the HEK."""
    sides = zip(("x", "y", "width", "height"), _plain(box) or ())
    vertices = polygon and [_plain(vertex) for vertex in polygon]
    return {**dict(sides), "circle": _plain(circle), "polygon": vertices, "eventId": event, "frame": frame}


def _series(source, start, end, cadence, track, raw):
    step = None if cadence is None else f"{_seconds(cadence):g}"
    return {**_range(source, start, end), "raw": raw or None, "cadence": step, "track": "rotation" if track else None}


def light_curve(source, start, end, cadence=None, *, statistics=("mean",), threshold=None, track=False, raw=False, table="pandas", **area):
    """
    Figures of a region (as `region` takes it) in every image of a range, with the interval of each (`meanLower`, `meanUpper`): a DataFrame by
    date, whose `attrs["units"]` has the unit of each figure, or with table="astropy" a QTable. `statistics` are of mean, median, sum, max,
    min, p05, p95 and area (above `threshold`). With `track` the region rotates with the Sun; `raw` gives levels in place of physical values.
    """
    asked = {**_series(source, start, end, cadence, track, raw), **region(**area), "statistics": ",".join(statistics)}
    text = request("/v2/getLightCurve/", **asked, threshold=threshold, format="csv").text
    unit = next((row["unit"] for row in csv.DictReader(text.splitlines()) if row["unit"]), "")
    units = {name + end: "arcsec2" if name == "area" else unit for name in statistics for end in ("", "Lower", "Upper")}
    if table == "pandas":
        import pandas
        found = pandas.read_csv(io.StringIO(text), parse_dates=["date"], index_col="date")
        found.attrs["units"] = units
        return found
    from astropy.table import QTable
    from astropy.time import Time
    found = QTable.read(text, format="ascii.csv")
    found["date"] = Time([date.rstrip("Z") for date in found["date"]])
    for name, unit in units.items():
        found[name].unit = _unit(unit)
    return found


def _unit(text):
    from astropy import units
    return units.Unit("" if text == "level" else text, parse_strict="silent")


def time_distance(source, start, end, cadence=None, *, path=None, radial=None, width=None, step=None, frame=None,
                  track=False, raw=False, table="pandas"):
    """
    Values along a path ((x, y), ...) or radially (position angle, distance, distance) in every image of a range: a DataFrame by date with a
    column for each distance along the path in arcseconds, whose `attrs["unit"]` is that of the values; or with table="astropy" a QTable
    with the columns date and values, whose `meta["offset"]` has the distances.
    """
    from astropy.io import fits
    from astropy.time import Time
    vertices = path and [number for vertex in path for number in _plain(vertex)]
    asked = {**_series(source, start, end, cadence, track, raw), "path": vertices, "radial": radial, "frame": frame}
    content = request("/v2/getTimeDistance/", **asked, width=width, step=step, format="fits").content
    with fits.open(io.BytesIO(content)) as file:
        values, unit = file[0].data.astype("f4"), file[0].header["BUNIT"]
        dates = Time([str(date).rstrip("Z") for date in file["IMAGES"].data["date"]])
        offsets = file["PATH"].data["offset"].astype("f8")
    if table == "pandas":
        import pandas
        found = pandas.DataFrame(values, index=pandas.DatetimeIndex(dates.datetime64, name="date"), columns=offsets)
        found.attrs.update(unit=unit)
        return found
    from astropy import units
    from astropy.table import QTable
    return QTable([dates, values * _unit(unit)], names=("date", "values"), meta={"offset": offsets * units.arcsec})


def _layers(layers):
    """`[10,1,100]` of text, or of an id or name, or of several, alone or with their opacities."""
    if isinstance(layers, str) and layers.startswith("["):
        return layers
    each = [layers] if isinstance(layers, (str, int)) else layers
    pairs = [pair if isinstance(pair, (list, tuple)) else (pair, 100) for pair in each]
    return ",".join(f"[{source_id(source)},1,{opacity}]" for source, opacity in pairs)


def screenshot(date, imageScale=2.4, layers=10, filename=None, **more):
    """A picture with the parameters of hvpy's createScreenshot: the path of `filename`, or the bytes of a PNG."""
    asked = {**FRAME, **more, "date": date_text(date), "imageScale": imageScale, "layers": _layers(layers), "display": True}
    content = request("/v2/takeScreenshot/", **asked).content
    return content if filename is None else save(content, filename)


def movie(startTime, endTime, layers=10, filename=None, *, imageScale=2.4, format="mp4", timeout=600, **more):
    """A movie with the parameters of hvpy's createMovie, once it is finished: the path of `filename`, or the bytes. `timeout` in seconds."""
    asked = {**FRAME, "events": "", "eventsLabels": False, **more, "startTime": date_text(startTime), "endTime": date_text(endTime)}
    queued = request("/v2/queueMovie/", **asked, layers=_layers(layers), imageScale=imageScale, format=format).json()
    if "error" in queued:
        raise HelioedgeError(queued["error"])
    deadline = time.monotonic() + timeout
    status = {"status": 0}
    while status["status"] != 2:
        if time.monotonic() > deadline:
            raise HelioedgeError(f"The movie {queued['id']} was not finished after {timeout} s: {status.get('statusLabel')}.")
        status = request("/v2/getMovieStatus/", id=queued["id"], format=format, wait=20).json()
        if status["status"] == 3:
            raise HelioedgeError(status.get("error", "The movie could not be made."))
    content = request("/v2/downloadMovie/", id=queued["id"], format=format).content
    return content if filename is None else save(content, filename)


createScreenshot, createMovie = screenshot, movie




try:
    from . import client  # noqa: E402,F401
except ImportError:  # without SunPy, or without parfive, which its Fido needs
    client = None
