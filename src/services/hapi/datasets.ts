// The datasets of HAPI: images of a datasource, their numbers per day, and the solar X-ray flux, beside light curves and events.
import { XRAY_FLUX } from '../../config/limits/events.ts';
import { HAPI } from '../../config/limits/hapi.ts';
import { LISTS } from '../../config/limits/images.ts';
import { findSource, imageSources } from '../../domain/catalogue/sources.ts';
import { ASTRONOMICAL_UNIT_M } from '../../domain/geometry.ts';
import { formatHapiTime } from '../../domain/hapi/hapi-time.ts';
import { DRAWN_FLUX, type HapiParameter, TIME } from '../../domain/hapi/parameters.ts';
import { dayStart } from '../../domain/time.ts';
import { DAY_MS, MINUTE_MS } from '../../util/durations.ts';
import { type Holdings, heldDayPages, listedPages, listedTimes } from '../images/image-list.ts';
import { daysIn, type HapiDataset, type HapiPorts, imageExtent, MICROSECOND_MS, ROUNDING_MS, scalar } from './dataset.ts';
import { eventDatasets, findEventDataset } from './event-datasets.ts';
import { findLightCurve, lightCurveOf } from './light-curves.ts';

const holdings = (sourceId: number, firstMs: number, lastMs: number): Holdings => ({
  sourceIds: [sourceId],
  times: { afterMs: firstMs, toMs: lastMs },
  after: null,
});

/** From the perihelion of Solar Orbiter to beyond the aphelion of the Earth. */
const DRAWN_DISTANCE = { scale: 'linear', range: [0.25, 1.1] } as const;
/** To an image each 12 seconds. */
const DRAWN_IMAGES = { scale: 'linear', range: [0, 7200] } as const;

function imagesOf(sourceId: number, name: string, { index, origin }: HapiPorts): HapiDataset {
  const address = (id: number) => `${origin}/v2/getJP2Image/?id=${id}`;
  const parameters: HapiParameter[] = [
    TIME,
    scalar('id', 'double', null, 'Id of the image, a whole number, for all operations of the service that take one.'),
    { ...scalar('distance', 'double', 'AU', 'Distance from the observer to the Sun.'), jhvparams: DRAWN_DISTANCE },
    scalar('size', 'integer', 'bytes', 'Size of the JPEG 2000 file.'),
    {
      name: 'address',
      type: 'string',
      length: address(0).length - 1 + HAPI.idDigits,
      units: null,
      fill: null,
      description: 'Address of the JPEG 2000 file.',
      stringType: { uri: { mediaType: 'image/jp2' } },
    },
  ];
  return {
    id: `images_${sourceId}`,
    title: `${name}: images`,
    description: `Times, files and distances of the images of ${name}.`,
    parameters,
    timeStampLocation: 'begin',
    most: LISTS.maxImages,
    extent: () => imageExtent(index, sourceId),
    // From the counts of days, so that a long range is refused without reading its rows.
    async count({ startMs, stopMs }) {
      let images = 0;
      for await (const page of heldDayPages(
        index,
        holdings(sourceId, dayStart(startMs), dayStart(stopMs - MICROSECOND_MS)),
        LISTS.maxImages,
      )) {
        images += page.reduce((sum, day) => sum + day.images, 0);
        if (images > LISTS.maxImages) return LISTS.maxImages + 1;
      }
      return images;
    },
    async *pages({ startMs, stopMs }) {
      const { afterMs } = listedTimes({ startMs });
      const times = { afterMs, toMs: stopMs - ROUNDING_MS };
      for await (const page of listedPages(index, sourceId, times, LISTS.maxImages)) {
        yield page.map(({ id, takenAtMs, dsunMetres, byteLength }) => ({
          time: formatHapiTime(takenAtMs),
          id,
          distance: dsunMetres / ASTRONOMICAL_UNIT_M,
          size: byteLength,
          address: address(id),
        }));
      }
    },
  };
}

function imageDaysOf(sourceId: number, name: string, { index }: HapiPorts): HapiDataset {
  return {
    id: `days_${sourceId}`,
    title: `${name}: images per day`,
    description: `Numbers and bytes of the images of ${name} by UTC day; days without images have no record.`,
    parameters: [
      TIME,
      { ...scalar('images', 'integer', 'dimensionless', 'Images of the day.'), jhvparams: DRAWN_IMAGES },
      scalar('bytes', 'double', 'bytes', 'Bytes of their files.'),
    ],
    timeStampLocation: 'begin',
    cadence: 'P1D',
    most: LISTS.maxImages,
    async extent() {
      const extent = await imageExtent(index, sourceId);
      return extent && { startMs: dayStart(extent.startMs), stopMs: dayStart(extent.stopMs - MICROSECOND_MS) + DAY_MS };
    },
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / DAY_MS),
    async *pages(range) {
      const { firstMs, lastMs } = daysIn(range);
      if (lastMs < firstMs) return;
      for await (const page of heldDayPages(index, holdings(sourceId, firstMs, lastMs), LISTS.maxImages)) {
        yield page.map(({ startMs, images, bytes }) => ({ time: formatHapiTime(startMs), images, bytes }));
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
      TIME,
      {
        ...scalar('flux', 'double', 'W/m2', 'Mean of the minute that begins at the time.'),
        fill: String(UNDELIVERED),
        jhvparams: DRAWN_FLUX,
      },
    ],
    timeStampLocation: 'begin',
    cadence: 'PT1M',
    maxRequestDuration: `P${XRAY_FLUX.days}D`,
    most: (XRAY_FLUX.days * DAY_MS) / MINUTE_MS,
    extent: async () => ({ startMs: XRAY_FLUX.first, stopMs: Math.floor(clock() / MINUTE_MS) * MINUTE_MS }),
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / MINUTE_MS),
    async *pages({ startMs, stopMs }) {
      for (let dayMs = dayStart(startMs); dayMs < stopMs; dayMs += DAY_MS) {
        // A day has so few minutes that each is a bin of its own.
        const { peaks, binMs, missingDays } = await xrayFlux.between(dayMs, dayMs + DAY_MS - MINUTE_MS, call.waitUntil);
        const isMissing = missingDays.length > 0;
        yield peaks.flatMap((flux, minute) => {
          const atMs = dayMs + minute * binMs;
          if (atMs < startMs - ROUNDING_MS || atMs >= stopMs - ROUNDING_MS || (flux === null && !isMissing)) return [];
          return [{ time: formatHapiTime(atMs), flux: flux ?? UNDELIVERED }];
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
  return (kind === 'images' ? imagesOf : imageDaysOf)(source.id, source.nickname, ports);
}

/** All datasets that have records. */
export async function allDatasets(ports: HapiPorts): Promise<HapiDataset[]> {
  const extents = await ports.index.extents();
  const sources = [...extents.keys()].sort((a, b) => a - b).flatMap((id) => findSource(id) ?? []);
  const gridded = new Set(await ports.gridCurves.sourcesWithGrids(sources.map(({ id }) => id)));
  return [
    ...sources.map(({ id, nickname }) => imagesOf(id, nickname, ports)),
    ...sources.map(({ id, nickname }) => imageDaysOf(id, nickname, ports)),
    ...sources.filter(({ id }) => gridded.has(id)).map(({ id, nickname }) => lightCurveOf({ id, nickname, region: null }, ports)),
    ...(await eventDatasets(ports)),
    xrayFluxOf(ports),
  ];
}
