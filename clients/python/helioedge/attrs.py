"""Attributes of searches by Fido, as `a.helioedge`."""
from sunpy.net.attr import DataAttr, SimpleAttr

__all__ = ["Kind", "Box"]


class Kind(SimpleAttr):
    """What is fetched of each image: `jp2`, its file, or `cutout`, a FITS file of the values in a `Box`."""


class Box(DataAttr):
    """A rectangle: its centre to the west and north of that of the Sun, width and height, in arcseconds as the observer saw them, or quantities."""

    def __init__(self, x, y, width, height):
        self.sides = [float(side.to_value("arcsec")) if hasattr(side, "to_value") else float(side) for side in (x, y, width, height)]
        super().__init__()

    def collides(self, other):
        return isinstance(other, self.__class__)
