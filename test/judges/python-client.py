"""Programs of the tests of clients/python, which print what they find as JSON. Arguments: name of a program, folder for files."""
import inspect
import json
import sys
import time
import warnings

warnings.simplefilter("ignore")
program, folder = sys.argv[1:]
if program == "without_parfive":
    sys.modules["parfive"] = None

import helioedge  # noqa: E402

START, END = "2024-05-10T11:00", "2024-05-10T14:30"
asked = []
get = helioedge._session.get
helioedge._session.get = lambda url, **more: (asked.append(url), get(url, **more))[1]


def maps():
    import astropy.units as u
    from sunpy.map import Map
    from sunpy.net import Fido, attrs as a
    began, found = time.monotonic(), {}
    # Ids of the datasources by what a SunPy user asks for.
    for source, query in {
        10: [a.Instrument.aia, a.Wavelength(171 * u.AA)],
        11: [a.Source("SDO"), a.Instrument.aia, a.Wavelength(19.3 * u.nm)],
        13: [a.Instrument("AIA"), a.Wavelength(300 * u.AA, 310 * u.AA)],
        18: [a.Instrument.hmi, a.Physobs.intensity],
        0: [a.Source("SOHO"), a.Instrument.eit, a.Wavelength(171 * u.AA)],
        4: [a.Instrument.lasco, a.Detector.c2],
        5: [a.Instrument.lasco, a.Detector.c3],
        21: [a.Source("STEREO_A"), a.Instrument.secchi, a.Detector.euvi, a.Wavelength(195 * u.AA)],
        32: [a.Instrument.swap],
        84: [a.Source("SOLO"), a.Detector("FSI"), a.Wavelength(174 * u.AA)],
    }.items():
        rows = Fido.search(a.Time(START, END), *query, a.helioedge.Kind("jp2"))
        files = Fido.fetch(rows[0, 0], path=f"{folder}/{{instrument}}/{{file}}", progress=False)
        first = Map(files[0])
        if source == 10:
            seconds, requests = time.monotonic() - began, len(asked)
        found[source] = [len(rows[0]), list(files.errors), files[0], type(first).__name__, str(first.date.isot), first.data.shape[1]]
    hourly = Fido.search(a.Time(START, END), a.Instrument.aia, a.Wavelength(171 * u.AA), a.Sample(3 * u.hour), a.helioedge.Kind("jp2"))
    nothing = Fido.search(a.Time("2019-01-01", "2019-01-02"), a.Instrument.aia, a.helioedge.Kind("jp2"))
    cut = Fido.search(a.Time(START, END), a.Instrument.aia, a.Wavelength(171 * u.AA), a.helioedge.Kind("cutout"), a.helioedge.Box(250, 200, 5 * u.arcmin, 300))
    cutout = Map(Fido.fetch(cut[0, :1], path=folder, progress=False)[0])
    centre = cutout.center
    return {"seconds": seconds, "requests": requests, "maps": found, "hourly": [str(date) for date in hourly[0]["Start Time"]],
            "nothing": nothing.file_num, "cutout": [str(cutout.unit), round(centre.Tx.value), round(centre.Ty.value), cutout.data.shape[0]]}


def values():
    box = (250, 200, 200, 200)
    curve = helioedge.light_curve("AIA 171", START, END, box=box, statistics=["mean", "max"], track=True)
    table = helioedge.light_curve(10, "2024-05-10 12:00", END, 3600, circle=(250, 200, 50), table="astropy")
    level = helioedge.light_curve("LASCO C2", START, END, circle=(0, 3000, 500), raw=True)
    rows = helioedge.time_distance("SDO AIA 171", START, END, radial=(270, 850, 1150))
    path = helioedge.time_distance("AIA 171", START, END, path=((100, 100), (400, 300)), width=20, table="astropy")
    cube = helioedge.open("AIA 171", START, END, level=0)
    picture = helioedge.createScreenshot("2024-05-10 12:00:00", 9.6, [("AIA 171", 100)], f"{folder}/sun.png", width=256, height=200)
    return {
        "curve": [[str(date), *row] for date, row in zip(curve.index, curve[["mean", "meanLower", "meanUpper"]].values.tolist())],
        "units": curve.attrs["units"], "table": [str(table["mean"].unit), str(table["date"][0]), len(table)],
        "level": level.attrs["units"]["mean"], "map": [list(rows.shape), rows.attrs["unit"], rows.columns[1]],
        "path": [list(path["values"].shape), str(path["values"].unit), str(path.meta["offset"].unit)],
        "cube": [dict(cube.sizes), str(cube["bytes"].dtype), str(cube["time"].values[0]), int(cube["bytes"][0, 128, 128]), cube["values"].attrs["units"]],
        "picture": open(picture, "rb").read(4)[1:].decode(),
    }


def movie():
    content = helioedge.createMovie("2024-05-07", END, "AIA 171", imageScale=19.2, width=128, height=128, timeout=170)
    return {"type": content[4:8].decode()}


def errors():
    def sentence(call):
        try:
            return call()
        except helioedge.HelioedgeError as error:
            return [str(error), error.status, error.parameter]
    return [
        sentence(lambda: helioedge.light_curve("AIA 171", "yesterday", END, circle=(0, 0, 50))),
        sentence(lambda: helioedge.light_curve("AIA 172", START, END)),
        sentence(lambda: helioedge.screenshot(START, -1)),
        sentence(lambda: helioedge.fetch([(f"{helioedge._url}/jp2/nothing.jp2", "nothing.jp2")], folder)),
        sentence(lambda: helioedge.open("AIA 171", START, END, level=9)),
        sentence(lambda: helioedge.use("http://127.0.0.1:9") or helioedge.images(10, START, END)),
    ]


def without_parfive():
    [file] = helioedge.fetch(helioedge.images("AIA 304", START, END), folder)
    return {"client": helioedge.client, "file": file, "again": helioedge.fetch(helioedge.images("AIA 304", START, END), folder) == [file],
            "curve": len(helioedge.light_curve("AIA 171", START, END, circle=(0, 0, 50)))}


def busy():
    from types import SimpleNamespace
    waits, answers = [], [(200, {}), (429, {"Retry-After": "60"})]

    def answer(url, **_):
        status, headers = answers.pop()
        return SimpleNamespace(status_code=status, ok=status == 200, headers=headers)
    helioedge._session.get, helioedge.time.sleep = answer, waits.append
    return [helioedge.request("/v2/getStatus/").status_code, waits]


def contract():
    """What Fido of SunPy 8 calls, and how; and what the package takes from SunPy, which version 8 still has."""
    import importlib
    from pathlib import Path
    from sunpy.net import attr, attrs as a, base_client
    client_type = helioedge.client.HelioedgeClient
    name, module = client_type._attrs_module()
    values = client_type.register_values()
    query = (a.Time(START, END), a.Instrument("AIA"), a.Wavelength(171 * __import__("astropy").units.AA), a.helioedge.Kind("jp2"))
    table = client_type().search(*query)
    queued = []
    downloader = type("Downloader", (), {"enqueue_file": lambda self, url, path=None, filename=None, **more: queued.append([url, str(filename)])})()
    result = client_type().fetch(table, path=Path(folder) / "{file}", downloader=downloader, wait=False, max_splits=5)
    kept = client_type().fetch(table[0], path=folder)
    return {
        "abstract": sorted(client_type.__abstractmethods__), "registered": base_client.BaseClient._registry.get(client_type) is not None,
        "handles": [bool(client_type._can_handle_query(*query)), bool(client_type._can_handle_query(*query[:3])),
                    bool(client_type._can_handle_query(*query, a.Level(1)))],
        "attrs": [name, importlib.import_module(module).__all__, getattr(a, name) is importlib.import_module(module)],
        "values": all(issubclass(key, attr.Attr) and all(len(pair) == 2 for pair in pairs) for key, pairs in values.items()),
        "url": client_type().info_url, "table": [isinstance(table, base_client.QueryResponseTable), type(table.client).__name__, len(table)],
        "keywords": sorted(name for name, each in inspect.signature(client_type.fetch.__wrapped__).parameters.items() if each.kind == each.KEYWORD_ONLY),
        "fetched": [result, queued, kept], "sunpy": sorted(name for name in vars(helioedge.client) if hasattr(base_client, name) and name[0].isupper()),
    }


print(json.dumps(globals()[program](), default=str))
