// The datasets of HAPI: images of a datasource, their numbers per day, and the solar X-ray flux, beside light curves and events.

import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { type Holdings, heldDayPages, passed } from '../../archive/image-list.ts';
import { archivePath } from '../../archive/keys.ts';
import type { HeldDay, ListedImage, ListedTimes } from '../../archive/ports.ts';
import type { CurveItem, CurveRequest } from '../../measure/light-curves.ts';
import type { SeenRegion } from '../../measure/regions.ts';
import { XRAY_FLUX } from '../../platform/limits/events.ts';
import { GRIDS } from '../../platform/limits/grids.ts';
import { HAPI } from '../../platform/limits/hapi.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { inPages } from '../../platform/util/concurrency.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { Failure, type FailureKind } from '../../platform/util/errors.ts';
import { type DataSource, pathOf } from '../../sun/catalogue/datasource.ts';
import { findSource, imageSources } from '../../sun/catalogue/sources.ts';
import { ASTRONOMICAL_UNIT_M } from '../../sun/geometry.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { dayStart, formatIso } from '../../sun/time.ts';
import { type Context, serviceOrigin } from '../services.ts';
import type { Column, HapiDataset, HapiRange } from './dataset.ts';
import * as hapi from './dataset.ts';
import { eventDatasets, findEventDataset } from './event-datasets.ts';

/** Bytes of a unit, which headers of images may state. */
const UNIT_BYTES = 24;

const COLUMNS: readonly Column<CurveItem>[] = [
  hapi.timeOfRecord(({ atMs }) => atMs),
  hapi.number(
    'mean',
    null,
    'Mean of the values, in the unit of the parameter unit.',
    ({ result }) => result?.figures.mean?.value,
  ),
  hapi.number('lower', null, 'Lower end of the interval of the mean.', ({ result }) => result?.figures.mean?.lower),
  hapi.number('upper', null, 'Upper end of the interval of the mean.', ({ result }) => result?.figures.mean?.upper),
  hapi.number(
    'censored',
    'dimensionless',
    'Share of the pixels whose value is beyond an end of the scale.',
    ({ result }) => result?.censored,
    hapi.DRAWN_SHARE,
  ),
  hapi.number('count', 'dimensionless', 'Pixels with data.', ({ result }) => result?.count),
  hapi.text('unit', UNIT_BYTES, 'Unit of the values.', ({ member }) => member?.confirmed.law.unit ?? null),
  hapi.number('id', null, 'Id of the image, a whole number.', ({ image }) => image?.id),
];

/** A part of the images; null: all of them. */
type CurveRegion = Extract<SeenRegion, { readonly kind: 'rectangle' }> | null;

/** Failures of ranges without values. */
const WITHOUT_VALUES: readonly FailureKind[] = ['no-frames', 'no-data', 'no-law'];

/** The curve of a range; null where there are no values. @throws HapiFailure 1406 for a region that the images do not have, 1408 for too many images */
async function curveOf(sourceId: number, region: CurveRegion, { startMs, stopMs }: HapiRange, context: Context) {
  const request: CurveRequest = {
    sourceId,
    startMs,
    endMs: stopMs - hapi.MICROSECOND_MS,
    cadenceSeconds: null,
    region,
    isTracked: false,
    trackFromMs: null,
    isRaw: false,
    names: ['mean'],
    threshold: null,
    grid: 'true',
  };
  try {
    return await context.services.lightCurves.open(request, context);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (WITHOUT_VALUES.includes(error.kind)) return null;
    if (!['bad-parameter', 'missing-parameter'].includes(error.kind)) throw error;
    if (error.parameter === 'cadence')
      throw new hapi.HapiFailure(1408, `A response has at most ${GRIDS.rows} images. Divide the range.`);
    throw new hapi.HapiFailure(1406, 'The rectangle is off the images, or smaller than a cell of their grids.');
  }
}

function lightCurveOf({ id, nickname }: DataSource, region: CurveRegion, context: Context): HapiDataset {
  const whole = `lightcurve_${id}`;
  const place = region ? [region.x, region.y, region.width, region.height] : null;
  return hapi.datasetOf<CurveItem>({
    id: place ? [whole, ...place].join('_') : whole,
    title: `${nickname}: light curve of ${place ? `a rectangle (${place.join(', ')} arcsec)` : 'whole images'}`,
    description:
      `Mean physical value of ${place ? 'a rectangle in images' : 'the images'} of ${nickname} with its interval, approximate, from grids of 64 x 64 ` +
      `means of each image, at most ${GRIDS.imagesOfDay} images a day. Days whose images have no known law or no grids have no records. ` +
      `The id ${whole}_<x>_<y>_<width>_<height> is that of a rectangle: its centre to the west and to the north of the centre of the Sun, and its size, in arcsec as the observer saw it.`,
    columns: COLUMNS,
    maxRequestDuration: `P${GRIDS.days - 1}D`,
    most: GRIDS.days,
    counted: 'days',
    extent: () => hapi.imageExtent(context.services.index, id),
    count: async (range) => hapi.daysOf(range),
    async *pages(range) {
      const curve = await curveOf(id, region, range, context);
      if (!curve) return;
      const isInRange = ({ atMs, image }: CurveItem) => image !== null && hapi.contains(range, atMs);
      for await (const items of inPages(curve.items(), GRIDS.pageRows)) yield items.filter(isInRange);
    },
  });
}

const NUMBER = '(-?\\d{1,6}(?:\\.\\d{1,3})?)';
const LIGHT_CURVE = new RegExp(`^lightcurve_(\\d{1,7})(?:_${NUMBER}_${NUMBER}_${NUMBER}_${NUMBER})?$`);

/** The dataset with this id; null for another id. Of several notations of a number, an id has the shortest one. */
function findLightCurve(id: string, context: Context): HapiDataset | null {
  const [, ...texts] = LIGHT_CURVE.exec(id) ?? [];
  const given = texts.filter((text) => text !== undefined);
  if (given.some((text) => String(Number(text)) !== text)) return null;
  const [sourceId, ...place] = given.map(Number);
  const source = imageSources.find((one) => one.id === sourceId);
  if (!source) return null;
  const [x, y, width, height] = place as [number, number, number, number];
  const isPlace = place.every((value) => Math.abs(value) <= MEASURING.regionCoordinate) && width > 0 && height > 0;
  if (place.length > 0 && !isPlace) return null;
  const region = { kind: 'rectangle', frame: 'helioprojective', x, y, width, height } as const;
  return lightCurveOf(source, place.length > 0 ? region : null, context);
}

/** Names that do not follow from nicknames; the server has no datasets of CCOR and PUNCH, whose ids continue its scheme. */
const NAMES: Readonly<Record<number, string>> = {
  44: 'XRT_AL_POLY_AL_mesh',
  131: 'PUNCH_CAM',
  132: 'CCOR1',
  133: 'CCOR2',
  134: 'PUNCH_PAM',
};

/** `AIA_304`, `LASCO_C2`, `EUVI_A_171`; of RHESSI with the band and the method. */
export function fieldId({ id, nickname, levels }: Pick<DataSource, 'id' | 'nickname' | 'levels'>): string {
  const text = nickname === 'RHESSI' ? levels.map(({ name }) => name).join(' ') : nickname;
  return NAMES[id] ?? text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

const holdings = (sourceId: number, firstMs: number, lastMs: number): Holdings => ({
  sourceIds: [sourceId],
  times: { afterMs: firstMs, toMs: lastMs },
  after: null,
});

/** From the perihelion of Solar Orbiter to beyond the aphelion of the Earth. */
const DRAWN_DISTANCE = { scale: 'linear', range: [0.25, 1.1] } as const;
/** To an image each 12 seconds. */
const DRAWN_IMAGES = hapi.drawnCounts(7200);

/** Differences of the two datasets of the images of a datasource. */
interface Form<Item> extends Pick<HapiDataset, 'id' | 'title' | 'description' | 'print'> {
  readonly columns: readonly Column<Item>[];
  page(times: ListedTimes, limit: number): Promise<readonly Item[]>;
}

/** Images of a datasource; of several in one second, where times are whole seconds, the first alone. */
function imagesIn<Item extends { readonly takenAtMs: number }>(
  index: ImageIndex,
  sourceId: number,
  { page: read, ...form }: Form<Item>,
): HapiDataset {
  const shownMs = (ms: number) => (form.print ? Math.floor(ms / SECOND_MS) * SECOND_MS : ms);
  return hapi.datasetOf<Item>({
    ...form,
    most: LISTS.maxImages,
    async extent() {
      const extent = await hapi.imageExtent(index, sourceId);
      return extent && { ...extent, startMs: shownMs(extent.startMs) };
    },
    // From the counts of days, so that a long range is refused without reading its rows.
    async count({ startMs, stopMs }) {
      let images = 0;
      const held = holdings(sourceId, dayStart(startMs), dayStart(stopMs - hapi.MICROSECOND_MS));
      for await (const page of heldDayPages(index, held, LISTS.maxImages)) {
        images += page.reduce((sum, day) => sum + day.images, 0);
        if (images > LISTS.maxImages) return LISTS.maxImages + 1;
      }
      return images;
    },
    async *pages({ startMs, stopMs }) {
      // An image is shown from the next shown time on.
      const [firstMs, toMs] = [startMs, stopMs].map((ms) => -shownMs(-ms) - hapi.ROUNDING_MS);
      let lastMs = Number.NEGATIVE_INFINITY;
      for (let afterMs = firstMs!; afterMs < toMs!; ) {
        const page = await read({ afterMs, toMs: toMs! }, LISTS.pageImages);
        yield page.flatMap((image) => {
          const isRepeated = shownMs(image.takenAtMs) === lastMs;
          lastMs = shownMs(image.takenAtMs);
          return isRepeated ? [] : [image];
        });
        if (page.length < LISTS.pageImages) return;
        afterMs = passed(page.at(-1)!.takenAtMs);
      }
    },
  });
}

function imagesOf({ id: sourceId, nickname: name }: DataSource, context: Context): HapiDataset {
  const { index } = context.services;
  const address = (id: number) => `${serviceOrigin(context)}/v2/getJP2Image/?id=${id}`;
  return imagesIn<ListedImage>(index, sourceId, {
    id: `images_${sourceId}`,
    title: `${name}: images`,
    description: `Times, files and distances of the images of ${name}.`,
    page: (times, limit) => index.listed(sourceId, times, limit),
    columns: [
      hapi.timeOfRecord(({ takenAtMs }) => takenAtMs),
      hapi.column(
        'id',
        'double',
        null,
        'Id of the image, a whole number, for all operations of the service that take one.',
        ({ id }) => id,
      ),
      hapi.column(
        'distance',
        'double',
        'AU',
        'Distance from the observer to the Sun.',
        ({ dsunMetres }) => dsunMetres / ASTRONOMICAL_UNIT_M,
        { jhvparams: DRAWN_DISTANCE },
      ),
      hapi.column('size', 'integer', 'byte', 'Size of the JPEG 2000 file.', ({ byteLength }) => byteLength),
      hapi.fileAddress('address', address(0).length - 1 + HAPI.idDigits, 'Address of the JPEG 2000 file.', ({ id }) =>
        address(id),
      ),
    ],
  });
}

/** Parameters of the geometry of an image, with its members. */
const FIELD_GEOMETRY = [
  ['refPixelX', 'double', 'Column of the centre of the Sun in pixels.', 'refPixelX'],
  ['refPixelY', 'double', 'Row of the centre of the Sun in pixels.', 'refPixelY'],
  ['scale', 'double', 'Arcseconds per pixel.', 'scaleArcsecPerPixel'],
  ['width', 'integer', 'Pixels.', 'width'],
  ['height', 'integer', 'Pixels.', 'height'],
  ['rotation', 'double', 'Degrees by which the image is rotated (CROTA1).', 'rotationDegrees'],
] as const;

/** Images as the public HAPI server of Helioviewer lists them. */
function fieldImagesOf(source: DataSource, context: Context): HapiDataset {
  const { index } = context.services;
  const [observatory, ...levels] = pathOf(source);
  const pathIn = ({ key }: ArchivedImage) => `/${archivePath(key)}`;
  return imagesIn<ArchivedImage>(index, source.id, {
    id: fieldId(source),
    title: `${observatory!.name} ${levels.map(({ label, name }) => `${label.toLowerCase()} ${name}`).join(', ')}.`,
    description: `Times, files and geometry of the images of ${source.nickname}.`,
    page: ({ afterMs, toMs }, limit) => index.inRange(source.id, afterMs, toMs, limit),
    print: formatIso,
    columns: [
      hapi.column('Time', 'isotime', 'UTC', 'Time of the image in whole seconds.', ({ takenAtMs }) => formatIso(takenAtMs), {
        length: formatIso(0).length,
      }),
      hapi.fileAddress(
        'url',
        HAPI.textBytes,
        'Address of the JPEG 2000 file, which ends in its name.',
        (image) => `${serviceOrigin(context)}/jp2${pathIn(image)}`,
      ),
      // No URI, which would be an absolute one.
      hapi.column('path', 'string', null, 'Its path in the archive.', pathIn, { length: HAPI.textBytes }),
      ...FIELD_GEOMETRY.map(([name, type, description, member]) =>
        hapi.column<ArchivedImage>(name, type, null, description, ({ geometry }) => geometry[member]),
      ),
    ],
  });
}

function imageDaysOf({ id: sourceId, nickname: name }: DataSource, { services: { index } }: Context): HapiDataset {
  return hapi.datasetOf<HeldDay>({
    id: `days_${sourceId}`,
    title: `${name}: images per day`,
    description: `Numbers and bytes of the images of ${name} by UTC day; days without images have no record.`,
    columns: [
      hapi.timeOfRecord(({ startMs }) => startMs),
      hapi.column('images', 'integer', 'dimensionless', 'Images of the day.', ({ images }) => images, {
        jhvparams: DRAWN_IMAGES,
      }),
      hapi.column('bytes', 'double', 'byte', 'Bytes of their files.', ({ bytes }) => bytes),
    ],
    cadence: 'P1D',
    most: LISTS.maxImages,
    async extent() {
      const extent = await hapi.imageExtent(index, sourceId);
      return extent && { startMs: dayStart(extent.startMs), stopMs: dayStart(extent.stopMs - hapi.MICROSECOND_MS) + DAY_MS };
    },
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / DAY_MS),
    async *pages(range) {
      const { firstMs, lastMs } = hapi.daysIn(range);
      if (lastMs >= firstMs) yield* heldDayPages(index, holdings(sourceId, firstMs, lastMs), LISTS.maxImages);
    },
  });
}

const XRAY_ID = 'xray_flux';
/** Stands for a minute of a day that the source has not delivered. */
const UNDELIVERED = '-1';

function xrayFluxOf({ services: { xrayFlux, clock }, waitUntil }: Context): HapiDataset {
  return hapi.datasetOf<{ readonly atMs: number; readonly flux: number | null }>({
    id: XRAY_ID,
    title: 'GOES: solar X-ray flux',
    description:
      'One-minute means of the solar X-ray flux from 0.1 to 0.8 nm of the primary GOES satellite, of which 1e-4 W/m2 are an X1 flare. ' +
      'Minutes without a measurement have no record.',
    columns: [
      hapi.timeOfRecord(({ atMs }) => atMs),
      hapi.column('flux', 'double', 'W/m2', 'Mean of the minute that begins at the time.', ({ flux }) => flux, {
        fill: UNDELIVERED,
        jhvparams: hapi.DRAWN_FLUX,
      }),
    ],
    cadence: 'PT1M',
    maxRequestDuration: `P${XRAY_FLUX.days}D`,
    most: (XRAY_FLUX.days * DAY_MS) / MINUTE_MS,
    extent: async () => ({ startMs: XRAY_FLUX.first, stopMs: Math.floor(clock() / MINUTE_MS) * MINUTE_MS }),
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / MINUTE_MS),
    async *pages(range) {
      for (let dayMs = dayStart(range.startMs); dayMs < range.stopMs; dayMs += DAY_MS) {
        // A day has so few minutes that each is a bin of its own.
        const { peaks, binMs, missingDays } = await xrayFlux.between(dayMs, dayMs + DAY_MS - MINUTE_MS, waitUntil);
        const minutes = peaks.map((flux, minute) => ({ atMs: dayMs + minute * binMs, flux }));
        yield minutes.filter(({ atMs, flux }) => hapi.contains(range, atMs) && (flux !== null || missingDays.length > 0));
      }
    },
  });
}

const DATASET = /^(images|days)_(\d{1,7})$/;

/** The dataset with this id, whether it has records or not; null for another id. */
export function findDataset(id: string, context: Context): HapiDataset | null {
  if (id === XRAY_ID) return xrayFluxOf(context);
  const [, kind, digits] = DATASET.exec(id) ?? [];
  if (kind === undefined) return findLightCurve(id, context) ?? findEventDataset(id, context) ?? findFieldDataset(id, context);
  const source = imageSources.find((one) => String(one.id) === digits);
  return source ? (kind === 'images' ? imagesOf : imageDaysOf)(source, context) : null;
}

const heldSources = async ({ services: { index } }: Context) =>
  [...(await index.extents()).keys()].sort((a, b) => a - b).flatMap((id) => findSource(id) ?? []);

export async function allDatasets(context: Context): Promise<HapiDataset[]> {
  const sources = await heldSources(context);
  const gridded = new Set(await context.services.lightCurves.sourcesWithGrids(sources.map(({ id }) => id)));
  return [
    ...sources.map((source) => imagesOf(source, context)),
    ...sources.map((source) => imageDaysOf(source, context)),
    ...sources.filter(({ id }) => gridded.has(id)).map((source) => lightCurveOf(source, null, context)),
    ...(await eventDatasets(context)),
    xrayFluxOf(context),
  ];
}

/** The dataset of the public server with this id in any case; null for another id. */
export function findFieldDataset(id: string, context: Context): HapiDataset | null {
  const source = imageSources.find((one) => fieldId(one).toLowerCase() === id.toLowerCase());
  return source ? fieldImagesOf(source, context) : null;
}

/** The datasets of the public server that have records. */
export const allFieldDatasets = async (context: Context): Promise<HapiDataset[]> =>
  (await heldSources(context)).map((source) => fieldImagesOf(source, context));
