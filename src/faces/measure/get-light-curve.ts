// getLightCurve: figures of a region in the images of a range of time.
import { type CurveItem, type CurveRequest, GRID_CHOICES, type LightCurve } from '../../measure/curves.ts';
import { curveFits, noted, tableOfCurve } from '../../measure/products.ts';
import { tableReply } from '../../platform/http/lists.ts';
import { MEDIA_TYPES } from '../../platform/http/media-types.ts';
import { jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice, choiceList, decimal } from '../../platform/http/parameters.ts';
import { bytesReply, type Representation } from '../../platform/http/response.ts';
import { GRIDS } from '../../platform/limits/grids.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { badParameter, requires } from '../../platform/util/errors.ts';
import { FIGURES } from '../../sun/laws/value.ts';
import { BUSY } from '../pictures/scene-parameters.ts';
import { type Context, operation, type Services } from '../services.ts';
import { lightCurve as lightCurveSchema } from './measurement-schemas.ts';
import {
  MEASURING_OPERATION,
  NO_VALUES,
  raw,
  regionFound,
  regionKey,
  regionOf,
  regionParameters,
  seriesFacts,
  seriesKey,
  seriesOf,
  seriesParameters,
  trackingKey,
  trackingOf,
  trackingParameters,
} from './parameters.ts';

const FORMATS = ['json', 'csv', 'fits', 'svg', 'png'] as const;
type Format = (typeof FORMATS)[number];

/** Formats that are sent row by row. */
const isStreamed = (format: Format): format is 'json' | 'csv' => format === 'json' || format === 'csv';

type Curve = readonly [LightCurve, CurveRequest, readonly CurveItem[]];

const FILES = {
  fits: (_: Services, ...curve: Curve) => curveFits(...curve),
  svg: ({ plots }: Services, ...curve: Curve) => new TextEncoder().encode(plots.curveSvg(...curve)),
  png: ({ plots }: Services, ...curve: Curve) => plots.curvePng(...curve),
} as const;

async function reply(
  curve: LightCurve,
  request: CurveRequest,
  format: Format,
  { services, stopwatch }: Context,
  address: () => string,
): Promise<Representation> {
  const facts = seriesFacts(request, 'lightcurve', format, curve.rows);
  if (isStreamed(format)) return tableReply(format, tableOfCurve(curve, request), facts);
  if (curve.rows > GRIDS.wholeRows)
    throw badParameter('format', `json or csv for ${curve.rows} rows, or a longer cadence,`, format);
  const items: CurveItem[] = [];
  for await (const item of curve.items()) items.push(item);
  const { sourceId } = request;
  const images = items.map(({ image }) => ({ image: image && { sourceId, ...image } }));
  const file = await stopwatch.measure('encode', () => FILES[format](services, curve, request, items));
  return bytesReply(facts.contentType, await noted(format, file, { address, items: images }), facts);
}

export const getLightCurve = operation({
  ...MEASURING_OPERATION,
  name: 'getLightCurve',
  summary: 'Figures of a region in the images of a range of time, with their intervals.',
  description:
    'A row an image: its id and date, and each figure with the ends of its interval, as in getValue: of inverted values at full ' +
    'resolution, in which a censored pixel counts as the edge beyond which its value lies; `censored` is their share of `count`, the pixels ' +
    'with data. `sum` is the sum over these pixels, `p05` and `p95` are percentiles as numpy has them, `area` is that of the pixels above ' +
    '`threshold` in square arcseconds, as the observer saw it. A row without values has a `reason`: `gap` where there is no image, or the ' +
    'interval to the next is three times the median; `unconfirmed` where the law of a new image was not confirmed in this request (ask ' +
    'again in a minute); `no-law`, `no-data` (also behind the limb), `off-image`, `damaged`. JSON and CSV are sent row by row while they ' +
    `are measured, and measuring stops with the client. At most ${MEASURING.seriesImages} rows and ` +
    `${MEASURING.seriesPixels / 1e6} million pixels of all images: take a cadence, a shorter range or a smaller region. Of more images, \`mean\` ` +
    'and `sum` of a fixed region come from the grids of the images, 64 x 64 means of inverted values: one object is read for each day, at ' +
    `most ${GRIDS.days} of them, with at most ${GRIDS.imagesOfDay} images each. A cell at the edge of the region counts by its share, which the intervals ` +
    'have; `status` is approximate, and `grid` names the cells and the days with images that have no grids. With `raw`, figures are of the ' +
    'levels of the images, and `law` and `status` are null.',
  responses: {
    'application/json': jsonBody('With format=json.', lightCurveSchema),
    'text/csv': 'With format=csv: a line with the names of the columns, and a row a line.',
    [MEDIA_TYPES.fits]: 'With format=fits: a binary table with the columns of CSV.',
    [MEDIA_TYPES.svg]: {
      description: 'With format=svg: a plot with a panel for each figure and its interval as a band.',
      example: '<svg>…</svg>',
    },
    [MEDIA_TYPES.png]: 'With format=png: the same plot.',
  },
  headers: ['Content-Disposition', 'X-Series-Rows'],
  otherResponses: { 404: 'There are no images in the range, or no data in the region.', ...NO_VALUES, ...BUSY },
  parameters: {
    ...seriesParameters,
    ...regionParameters,
    ...trackingParameters,
    statistics: choiceList('Figures of the region.', FIGURES).default(['mean']),
    threshold: decimal('Value in the unit of the images above which the area is counted; with the figure `area` alone.', {
      min: -1e9,
      max: 1e9,
    }).optional(),
    grid: choice(
      '`true`: from the grids of the images, `false`: from their pixels. `auto`: from grids where there are more images than a request ' +
        'measures, and cells give the statistics.',
      GRID_CHOICES,
    ).default('auto'),
    raw: raw(' Grids have the levels of datasources without values alone.'),
    format: choice('Format.', FORMATS).default('json'),
  },
  canonical: (values) => {
    const { statistics, threshold, grid, raw: isRaw, format } = values;
    const isOfArea = statistics.includes('area');
    if (isOfArea && threshold === undefined) throw requires('statistics=area', 'threshold');
    const named = regionOf(values);
    if (values.track === 'rotation' && named === null)
      throw requires('track=rotation', 'x, y, width and height, or another region');
    const request: Omit<CurveRequest, 'region'> = {
      ...seriesOf(values),
      ...trackingOf(values),
      isRaw,
      names: statistics,
      threshold: isOfArea ? threshold! : null,
      grid,
    };
    return { request, named, format };
  },
  key: ({ request, named, format }) => {
    if (isStreamed(format)) return null;
    const { isRaw: raw, names: statistics, threshold, grid } = request;
    const figures = { statistics, threshold: threshold ?? undefined, grid, raw, format };
    return { ...seriesKey(request), ...regionKey(named), ...trackingKey(request), ...figures };
  },
  handle: async ({ request: range, named, format }, context, address) => {
    const request = { ...range, region: await regionFound(named, context) };
    return reply(await context.services.lightCurves.open(request, context), request, format, context, address);
  },
});
