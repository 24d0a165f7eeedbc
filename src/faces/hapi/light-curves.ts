// Datasets of light curves: the mean physical value of whole images, or of a rectangle that the id names, from the grids of the images.
import type { CurveItem, CurveRequest, LightCurve } from '../../measure/curves.ts';
import type { SeenRegion } from '../../measure/regions.ts';
import { GRIDS } from '../../platform/limits/grids.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { inPages } from '../../platform/util/concurrency.ts';
import { Failure, type FailureKind } from '../../platform/util/errors.ts';
import { imageSources } from '../../sun/catalogue/sources.ts';
import type { HapiDataset, HapiParameter, HapiPorts, HapiRange, HapiRecord } from './dataset.ts';
import * as hapi from './dataset.ts';

/** Bytes of a unit, which headers of images may state. */
const UNIT_BYTES = 24;

const PARAMETERS: readonly HapiParameter[] = [
  hapi.TIME,
  hapi.numberParameter('mean', null, 'Mean of the values, in the unit of the parameter unit.'),
  hapi.numberParameter('lower', null, 'Lower end of the interval of the mean.'),
  hapi.numberParameter('upper', null, 'Upper end of the interval of the mean.'),
  {
    ...hapi.numberParameter('censored', 'dimensionless', 'Share of the pixels whose value is beyond an end of the scale.'),
    jhvparams: hapi.DRAWN_SHARE,
  },
  hapi.numberParameter('count', 'dimensionless', 'Pixels with data.'),
  hapi.textParameter('unit', UNIT_BYTES, 'Unit of the values.'),
  hapi.numberParameter('id', null, 'Id of the image, a whole number.'),
];

interface CurveSource {
  readonly id: number;
  readonly nickname: string;
  /** Null: whole images. */
  readonly region: Extract<SeenRegion, { readonly kind: 'rectangle' }> | null;
}

function recordOf({ atMs, image, result, member }: CurveItem): HapiRecord {
  const mean = result?.figures.mean;
  return {
    time: hapi.formatHapiTime(atMs),
    mean: mean?.value ?? hapi.FILL_NUMBER,
    lower: mean?.lower ?? hapi.FILL_NUMBER,
    upper: mean?.upper ?? hapi.FILL_NUMBER,
    censored: result?.censored ?? hapi.FILL_NUMBER,
    count: result?.count ?? hapi.FILL_NUMBER,
    unit: hapi.fitted(member?.confirmed.law.unit ?? '', UNIT_BYTES),
    id: image?.id ?? hapi.FILL_NUMBER,
  };
}

/** Failures of ranges without values. */
const WITHOUT_VALUES: readonly FailureKind[] = ['no-frames', 'no-data', 'no-law'];

/** The curve of a range; null where there are no values. @throws HapiFailure 1406 for a region that the images do not have, 1408 for too many images */
async function curveOf(source: CurveSource, { startMs, stopMs }: HapiRange, ports: HapiPorts): Promise<LightCurve | null> {
  const request: CurveRequest = {
    sourceId: source.id,
    startMs,
    endMs: stopMs - hapi.MICROSECOND_MS,
    cadenceSeconds: null,
    region: source.region,
    isTracked: false,
    trackFromMs: null,
    isRaw: false,
    names: ['mean'],
    threshold: null,
    grid: 'true',
  };
  try {
    return await ports.lightCurves.open(request, ports.call);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (WITHOUT_VALUES.includes(error.kind)) return null;
    if (!['bad-parameter', 'missing-parameter'].includes(error.kind)) throw error;
    if (error.parameter === 'cadence')
      throw new hapi.HapiFailure(1408, `A response has at most ${GRIDS.rows} images. Divide the range.`);
    throw new hapi.HapiFailure(1406, 'The rectangle is off the images, or smaller than a cell of their grids.');
  }
}

export function lightCurveOf(source: CurveSource, ports: HapiPorts): HapiDataset {
  const { id, nickname, region } = source;
  const whole = `lightcurve_${id}`;
  const place = region ? [region.x, region.y, region.width, region.height] : null;
  return {
    id: place ? [whole, ...place].join('_') : whole,
    title: `${nickname}: light curve of ${place ? `a rectangle (${place.join(', ')} arcsec)` : 'whole images'}`,
    description:
      `Mean physical value of ${place ? 'a rectangle in images' : 'the images'} of ${nickname} with its interval, approximate, from grids of 64 x 64 ` +
      `means of each image, at most ${GRIDS.imagesOfDay} images a day. Days whose images have no known law or no grids have no records. ` +
      `The id ${whole}_<x>_<y>_<width>_<height> is that of a rectangle: its centre to the west and to the north of the centre of the Sun, and its size, in arcsec as the observer saw it.`,
    parameters: PARAMETERS,
    timeStampLocation: 'begin',
    maxRequestDuration: `P${GRIDS.days - 1}D`,
    most: GRIDS.days,
    counted: 'days',
    extent: () => hapi.imageExtent(ports.index, id),
    count: async (range) => hapi.daysOf(range),
    async *pages(range) {
      const curve = await curveOf(source, range, ports);
      if (!curve) return;
      const isInRange = ({ atMs, image }: CurveItem) => image !== null && hapi.contains(range, atMs);
      for await (const items of inPages(curve.items(), GRIDS.pageRows)) yield items.filter(isInRange).map(recordOf);
    },
  };
}

const NUMBER = '(-?\\d{1,6}(?:\\.\\d{1,3})?)';
const DATASET = new RegExp(`^lightcurve_(\\d{1,7})(?:_${NUMBER}_${NUMBER}_${NUMBER}_${NUMBER})?$`);

/** The dataset with this id; null for another id. Of several notations of a number, an id has the shortest one. */
export function findLightCurve(id: string, ports: HapiPorts): HapiDataset | null {
  const [, ...texts] = DATASET.exec(id) ?? [];
  const given = texts.filter((text) => text !== undefined);
  if (given.some((text) => String(Number(text)) !== text)) return null;
  const [sourceId, ...place] = given.map(Number);
  const source = imageSources.find((one) => one.id === sourceId);
  if (!source) return null;
  const { nickname } = source;
  if (place.length === 0) return lightCurveOf({ id: source.id, nickname, region: null }, ports);
  const [x, y, width, height] = place as [number, number, number, number];
  if (place.some((value) => Math.abs(value) > MEASURING.regionCoordinate) || width <= 0 || height <= 0) return null;
  return lightCurveOf(
    { id: source.id, nickname, region: { kind: 'rectangle', frame: 'helioprojective', x, y, width, height } },
    ports,
  );
}
