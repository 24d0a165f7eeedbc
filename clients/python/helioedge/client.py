"""The client of SunPy's Fido."""
from pathlib import Path
from urllib.parse import urlencode

import astropy.units as u
from astropy.time import Time
from sunpy.net import attrs as a
from sunpy.net.base_client import BaseClient, QueryResponseTable, convert_row_to_table

import helioedge

from .attrs import Box, Kind

KINDS = {"jp2": "JPEG 2000 files, which sunpy.map.Map opens", "cutout": "FITS files of the values in a Box"}


class HelioedgeResponse(QueryResponseTable):
    hide_keys = ["url", "id", "File"]
    size_column = "Size"


class HelioedgeClient(BaseClient):
    """
    Images of a helioedge service, which speaks the Helioviewer API.

    Searches have a `~sunpy.net.attrs.Time` and an ``a.helioedge.Kind``, and any of Instrument, Wavelength, Source, Detector, Physobs and Sample.
    """

    @property
    def info_url(self):
        return f"{helioedge._url}/docs/"

    @classmethod
    def _attrs_module(cls):
        return "helioedge", "helioedge.attrs"

    @classmethod
    def register_values(cls):
        return {Kind: list(KINDS.items())}

    @classmethod
    def _can_handle_query(cls, *query):
        optional = {a.Instrument, a.Wavelength, a.Source, a.Detector, a.Physobs, a.Sample, a.Provider, Box}
        return cls.check_attr_types_in_query(query, {a.Time, Kind}, optional)

    def search(self, *query, **kwargs):
        """The images of all matching datasources."""
        asked = {type(attr): attr for attr in query}
        kind, box, sample = asked[Kind].value, asked.get(Box), asked.get(a.Sample)
        if kind not in KINDS:
            raise ValueError(f"Expected {' or '.join(KINDS)} for Kind, got {kind}.")
        if kind == "cutout" and box is None:
            raise ValueError("Expected a.helioedge.Box(x, y, width, height) beside Kind('cutout'), got none.")
        period = asked[a.Time]
        rows = [
            self._row(source, image, kind, box)
            for source in helioedge.sources() if _matches(source, asked)
            for image in helioedge.images(source["id"], period.start, period.end, sample and sample.value)
        ]
        return HelioedgeResponse(rows or None, names=None if rows else ["Start Time", "url", "File"], client=self)

    @staticmethod
    def _row(source, image, kind, box):
        url, name = image["jp2"], image["name"]
        if kind == "cutout":
            sides = dict(zip(("x", "y", "width", "height"), box.sides))
            url = f"{helioedge._url}/v2/getImageData/?{urlencode({'id': image['id'], **sides, 'format': 'fits'})}"
            name = f"{Path(name).stem}_{'_'.join(f'{side:g}' for side in box.sides)}.fits"
        return {"Start Time": Time(image["date"].rstrip("Z")), "Source": source["path"][0], "Instrument": source["path"][1],
                "Name": source["name"], "Wavelength": (_angstroms(source) or float("nan")) * u.AA, "Kind": kind,
                "Size": (image["size"] if kind == "jp2" else float("nan")) * u.byte, "id": image["id"], "url": url, "File": name}

    @convert_row_to_table
    def fetch(self, query_results, *, path=None, downloader=None, **kwargs):
        """Adds the files to a downloader of parfive; without one, saves them and returns their paths."""
        targets = [(row["url"], _target(path, row)) for row in query_results]
        if downloader is None:
            return helioedge.fetch(targets)
        for url, target in targets:
            downloader.enqueue_file(url, filename=target)


def _target(path, row):
    """A path of Fido, with `{file}` and the columns of the row filled in."""
    pattern = str(path or "{file}")
    return (pattern if "{" in pattern else f"{pattern}/{{file}}").format(**{**row.response_block_map, "file": row["File"]})


def _angstroms(source):
    last = source["path"][-1]
    return float(last) if last.isdigit() else None


def _plain(text):
    return str(text).lower().replace("-", "").replace("_", "").replace(" ", "")


def _matches(source, asked):
    names = [_plain(name) for name in source["path"]]
    for kind in (a.Instrument, a.Source, a.Detector):
        if kind in asked and _plain(asked[kind].value) not in names:
            return False
    if a.Physobs in asked and _plain(asked[a.Physobs].value) != ("losmagneticfield" if names[-1] == "magnetogram" else "intensity"):
        return False
    if a.Wavelength in asked:
        angstroms, band = _angstroms(source), asked[a.Wavelength]
        least, most = sorted(edge.to_value(u.AA, u.spectral()) for edge in (band.min, band.max))
        return angstroms is not None and least - 0.5 <= angstroms <= most + 0.5
    return True
