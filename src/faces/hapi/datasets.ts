// The datasets of HAPI: images of a datasource, their numbers per day, and the solar X-ray flux, beside light curves and events.
import { type Holdings, heldDayPages, passed } from '../../archive/image-list.ts';
import { archivePath } from '../../archive/keys.ts';
import type { ListedImage, ListedTimes } from '../../archive/ports.ts';
import { XRAY_FLUX } from '../../platform/limits/events.ts';
import { HAPI } from '../../platform/limits/hapi.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { type DataSource, pathOf } from '../../sun/catalogue/datasource.ts';
import { findSource, imageSources } from '../../sun/catalogue/sources.ts';
import { ASTRONOMICAL_UNIT_M } from '../../sun/geometry.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { dayStart, formatIso } from '../../sun/time.ts';
import type { HapiDataset, HapiParameter, HapiPorts, HapiRecord } from './dataset.ts';
import * as hapi from './dataset.ts';
import { eventDatasets, findEventDataset } from './event-datasets.ts';
import { findLightCurve, lightCurveOf } from './light-curves.ts';

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
interface Form<Item> extends Pick<HapiDataset, 'id' | 'title' | 'description' | 'parameters' | 'print'> {
  /** Whether times are whole seconds: of several images of a second, the first has a record. */
  readonly isInSeconds: boolean;
  page(times: ListedTimes, limit: number): Promise<readonly Item[]>;
  record(image: Item): HapiRecord;
}

function imagesIn<Item extends { readonly takenAtMs: number }>(
  { isInSeconds, page: read, record, ...form }: Form<Item>,
  sourceId: number,
  { index }: HapiPorts,
): HapiDataset {
  const shownMs = (ms: number) => (isInSeconds ? Math.floor(ms / SECOND_MS) * SECOND_MS : ms);
  return {
    ...form,
    timeStampLocation: 'begin',
    most: LISTS.maxImages,
    async extent() {
      const extent = await hapi.imageExtent(index, sourceId);
      return extent && { ...extent, startMs: shownMs(extent.startMs) };
    },
    // From the counts of days, so that a long range is refused without reading its rows.
    async count({ startMs, stopMs }) {
      let images = 0;
      for await (const page of heldDayPages(
        index,
        holdings(sourceId, dayStart(startMs), dayStart(stopMs - hapi.MICROSECOND_MS)),
        LISTS.maxImages,
      )) {
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
          return isRepeated ? [] : [record(image)];
        });
        if (page.length < LISTS.pageImages) return;
        afterMs = passed(page.at(-1)!.takenAtMs);
      }
    },
  };
}

function imagesOf({ id: sourceId, nickname: name }: DataSource, ports: HapiPorts): HapiDataset {
  const address = (id: number) => `${ports.origin}/v2/getJP2Image/?id=${id}`;
  const form: Form<ListedImage> = {
    id: `images_${sourceId}`,
    title: `${name}: images`,
    description: `Times, files and distances of the images of ${name}.`,
    isInSeconds: false,
    page: (times, limit) => ports.index.listed(sourceId, times, limit),
    parameters: [
      hapi.TIME,
      hapi.scalar('id', 'double', null, 'Id of the image, a whole number, for all operations of the service that take one.'),
      { ...hapi.scalar('distance', 'double', 'AU', 'Distance from the observer to the Sun.'), jhvparams: DRAWN_DISTANCE },
      hapi.scalar('size', 'integer', 'bytes', 'Size of the JPEG 2000 file.'),
      hapi.fileAddress('address', address(0).length - 1 + HAPI.idDigits, 'Address of the JPEG 2000 file.'),
    ],
    record: ({ id, takenAtMs, byteLength, dsunMetres }) => ({
      time: hapi.formatHapiTime(takenAtMs),
      id,
      distance: dsunMetres / ASTRONOMICAL_UNIT_M,
      size: byteLength,
      address: address(id),
    }),
  };
  return imagesIn(form, sourceId, ports);
}

const FIELD_PARAMETERS: readonly HapiParameter[] = [
  { ...hapi.TIME, name: 'Time', length: formatIso(0).length, description: 'Time of the image in whole seconds.' },
  hapi.fileAddress('url', HAPI.textBytes, 'Address of the JPEG 2000 file, which ends in its name.'),
  hapi.fileAddress('path', HAPI.textBytes, 'Its path in the archive.'),
  hapi.scalar('refPixelX', 'double', null, 'Column of the centre of the Sun in pixels.'),
  hapi.scalar('refPixelY', 'double', null, 'Row of the centre of the Sun in pixels.'),
  hapi.scalar('scale', 'double', null, 'Arcseconds per pixel.'),
  hapi.scalar('width', 'integer', null, 'Pixels.'),
  hapi.scalar('height', 'integer', null, 'Pixels.'),
  hapi.scalar('rotation', 'double', null, 'Degrees by which the image is rotated (CROTA1).'),
];

/** Images as the public HAPI server of Helioviewer lists them. */
function fieldImagesOf(source: DataSource, ports: HapiPorts): HapiDataset {
  const [observatory, ...levels] = pathOf(source);
  const form: Form<ArchivedImage> = {
    id: fieldId(source),
    title: `${observatory!.name} ${levels.map(({ label, name }) => `${label.toLowerCase()} ${name}`).join(', ')}.`,
    description: `Times, files and geometry of the images of ${source.nickname}.`,
    isInSeconds: true,
    page: ({ afterMs, toMs }, limit) => ports.index.inRange(source.id, afterMs, toMs, limit),
    print: formatIso,
    parameters: FIELD_PARAMETERS,
    record: ({ key, takenAtMs, geometry }) => {
      const { refPixelX, refPixelY, scaleArcsecPerPixel: scale, width, height, rotationDegrees: rotation } = geometry;
      const path = `/${archivePath(key)}`;
      const url = `${ports.origin}/jp2${path}`;
      return { Time: formatIso(takenAtMs), url, path, refPixelX, refPixelY, scale, width, height, rotation };
    },
  };
  return imagesIn(form, source.id, ports);
}

function imageDaysOf({ id: sourceId, nickname: name }: DataSource, { index }: HapiPorts): HapiDataset {
  return {
    id: `days_${sourceId}`,
    title: `${name}: images per day`,
    description: `Numbers and bytes of the images of ${name} by UTC day; days without images have no record.`,
    parameters: [
      hapi.TIME,
      { ...hapi.scalar('images', 'integer', 'dimensionless', 'Images of the day.'), jhvparams: DRAWN_IMAGES },
      hapi.scalar('bytes', 'double', 'bytes', 'Bytes of their files.'),
    ],
    timeStampLocation: 'begin',
    cadence: 'P1D',
    most: LISTS.maxImages,
    async extent() {
      const extent = await hapi.imageExtent(index, sourceId);
      return extent && { startMs: dayStart(extent.startMs), stopMs: dayStart(extent.stopMs - hapi.MICROSECOND_MS) + DAY_MS };
    },
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / DAY_MS),
    async *pages(range) {
      const { firstMs, lastMs } = hapi.daysIn(range);
      if (lastMs < firstMs) return;
      for await (const page of heldDayPages(index, holdings(sourceId, firstMs, lastMs), LISTS.maxImages)) {
        yield page.map(({ startMs, images, bytes }) => ({ time: hapi.formatHapiTime(startMs), images, bytes }));
      }
    },
  };
}

const XRAY_ID = 'xray_flux';
/** Stands for a minute of a day that the source has not delivered. */
const UNDELIVERED = -1;

function xrayFluxOf({ xrayFlux, clock, call }: HapiPorts): HapiDataset {
  return {
    id: XRAY_ID,
    title: 'GOES: solar X-ray flux',
    description:
      'One-minute means of the solar X-ray flux from 0.1 to 0.8 nm of the primary GOES satellite, of which 1e-4 W/m2 are an X1 flare. ' +
      'Minutes without a measurement have no record.',
    parameters: [
      hapi.TIME,
      {
        ...hapi.scalar('flux', 'double', 'W/m2', 'Mean of the minute that begins at the time.'),
        fill: String(UNDELIVERED),
        jhvparams: hapi.DRAWN_FLUX,
      },
    ],
    timeStampLocation: 'begin',
    cadence: 'PT1M',
    maxRequestDuration: `P${XRAY_FLUX.days}D`,
    most: (XRAY_FLUX.days * DAY_MS) / MINUTE_MS,
    extent: async () => ({ startMs: XRAY_FLUX.first, stopMs: Math.floor(clock() / MINUTE_MS) * MINUTE_MS }),
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / MINUTE_MS),
    async *pages(range) {
      for (let dayMs = dayStart(range.startMs); dayMs < range.stopMs; dayMs += DAY_MS) {
        // A day has so few minutes that each is a bin of its own.
        const { peaks, binMs, missingDays } = await xrayFlux.between(dayMs, dayMs + DAY_MS - MINUTE_MS, call.waitUntil);
        const isMissing = missingDays.length > 0;
        yield peaks.flatMap((flux, minute) => {
          const atMs = dayMs + minute * binMs;
          if (!hapi.contains(range, atMs) || (flux === null && !isMissing)) return [];
          return [{ time: hapi.formatHapiTime(atMs), flux: flux ?? UNDELIVERED }];
        });
      }
    },
  };
}

const DATASET = /^(images|days)_(\d{1,7})$/;

/** The dataset with this id, whether it has records or not; null for another id. */
export function findDataset(id: string, ports: HapiPorts): HapiDataset | null {
  if (id === XRAY_ID) return xrayFluxOf(ports);
  const [, kind, digits] = DATASET.exec(id) ?? [];
  if (kind === undefined) return findLightCurve(id, ports) ?? findEventDataset(id, ports);
  const source = imageSources.find((one) => one.id === Number(digits));
  if (!source || digits !== String(source.id)) return null;
  return (kind === 'images' ? imagesOf : imageDaysOf)(source, ports);
}

const heldSources = async ({ index }: HapiPorts) =>
  [...(await index.extents()).keys()].sort((a, b) => a - b).flatMap((id) => findSource(id) ?? []);

export async function allDatasets(ports: HapiPorts): Promise<HapiDataset[]> {
  const sources = await heldSources(ports);
  const gridded = new Set(await ports.gridCurves.sourcesWithGrids(sources.map(({ id }) => id)));
  return [
    ...sources.map((source) => imagesOf(source, ports)),
    ...sources.map((source) => imageDaysOf(source, ports)),
    ...sources.filter(({ id }) => gridded.has(id)).map(({ id, nickname }) => lightCurveOf({ id, nickname, region: null }, ports)),
    ...(await eventDatasets(ports)),
    xrayFluxOf(ports),
  ];
}

/** The dataset of the public server with this id in any case; null for another id. */
export function findFieldDataset(id: string, ports: HapiPorts): HapiDataset | null {
  const source = imageSources.find((one) => fieldId(one).toLowerCase() === id.toLowerCase());
  return source ? fieldImagesOf(source, ports) : null;
}

/** The datasets of the public server that have records. */
export const allFieldDatasets = async (ports: HapiPorts): Promise<HapiDataset[]> =>
  (await heldSources(ports)).map((source) => fieldImagesOf(source, ports));
