// Files of cut-outs.
import { wcsOfGrid } from '../../domain/measurement/cut-grid.ts';
import { formatExact } from '../../domain/time.ts';
import type { FitsCard } from '../../imaging/encode/fits.ts';
import { layersTitle } from '../../picture/layers.ts';
import { wcsCards } from './array-files.ts';
import type { Cutout, CutoutRequest } from './cutouts.ts';
import { fitsFlow, npyFlow, type SeriesArrays, seriesHistory } from './series-files.ts';

const sourcesOf = ({ sourceId, others }: CutoutRequest) => [sourceId, ...others];

function arraysOf(cutout: Cutout, request: CutoutRequest): SeriesArrays {
  const { grid, slots } = cutout;
  const axes = [grid.width, grid.height];
  return { series: cutout, isRaw: request.isRaw, count: slots.length, axes, sources: sourcesOf(request) };
}

/** An array of shape (times, height, width), or (times, sources, height, width). */
export const cutoutNpy = (cutout: Cutout, request: CutoutRequest) => npyFlow(arraysOf(cutout, request));

/** The observer and the time of the grid. */
function observerCards({ reference: { image, plane } }: Cutout): FitsCard[] {
  const { b0Degrees, longitudeDegrees } = plane!.observer;
  return [
    { keyword: 'DATE-OBS', value: formatExact(image.takenAtMs).replace('Z', '') },
    { keyword: 'DSUN_OBS', value: image.geometry.dsunMetres },
    { keyword: 'HGLN_OBS', value: longitudeDegrees },
    { keyword: 'HGLT_OBS', value: b0Degrees },
  ];
}

/** A cube with a table of its images. */
export function cutoutFits(cutout: Cutout, request: CutoutRequest) {
  const sources = sourcesOf(request);
  const { first, grid } = cutout;
  const { width, height, scale, frame } = grid;
  const unit = frame === 'carrington' ? 'degrees' : 'arcsec';
  const lines = [
    `Cut-out of ${layersTitle(sources.map((sourceId) => ({ sourceId })))}: ${width} x ${height} cells of ${scale} ${unit}.`,
    ...(request.isRaw
      ? ['Levels are linear between pixels, and means over a cell that is larger than a pixel. NaN where there is no pixel.']
      : [
          'Values are linear between pixels that were inverted, and means over a cell that is larger than a pixel. NaN where more than half is',
          'beyond the scale, or there is no data.',
        ]),
    'The third axis is that of the images, of which the table IMAGES has the times.',
    ...(sources.length > 1
      ? ['The third axis is that of the sources, the fourth that of the times: the table has them in this order.']
      : []),
  ];
  const cards = [
    ...(sources.length === 1 ? [{ keyword: 'BUNIT', value: first.confirmed.law.unit }] : []),
    ...wcsCards(wcsOfGrid(grid)).filter(({ keyword }) => keyword !== 'WCSAXES'),
    ...observerCards(cutout),
    ...seriesHistory(lines, first, request),
  ];
  return fitsFlow(arraysOf(cutout, request), cards);
}
