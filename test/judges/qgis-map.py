"""Draws a raster layer with QGIS: qgis.py PROVIDER SOURCE CRS RESOLUTION FILE

A picture of 512x512 pixels around 0, 0 of the reference system `CRS`, of RESOLUTION of its units a pixel. PROVIDER and SOURCE
are those of QgsRasterLayer.
"""
import sys

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsProject,
    QgsRasterLayer,
    QgsRectangle,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

SIDE_PX = 512


def draw(provider: str, source: str, crs: str, resolution: float, file: str) -> None:
    layer = QgsRasterLayer(source, "sun", provider)
    if not layer.isValid():
        sys.exit(f"QGIS finds the layer invalid: {layer.error().message()}")
    # The transformation of its pixels needs a project that has it.
    QgsProject.instance().addMapLayer(layer)
    half = SIDE_PX / 2 * resolution
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem(crs))
    settings.setExtent(QgsRectangle(-half, -half, half, half))
    settings.setOutputSize(QSize(SIDE_PX, SIDE_PX))
    settings.setBackgroundColor(QColor("black"))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    for error in job.errors():
        sys.exit(f"QGIS has not drawn the layer: {error.message}")
    job.renderedImage().save(file)


application = QgsApplication([], False)
application.initQgis()
draw(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5])
application.exitQgis()
