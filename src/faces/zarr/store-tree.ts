// The groups and arrays of a virtual store: a group for each resolution level, with bytes, values, times, ids and coordinates.
import { wholeBlocks } from '../../measure/image-arrays.ts';
import { lawText, wcsCards } from '../../measure/products.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import type { ConfirmedLaw } from '../../sun/laws/gate.ts';
import { formatExact } from '../../sun/time.ts';
import { type Wcs, wcsOfBlocks } from '../../sun/wcs.ts';
import type { ArrayName, Attributes, StoreArray, StoreTree } from './documents.ts';

/** Images whose coordinates are one chunk: each is a read of a header. */
export const WCS_CHUNK = 100;

export type StoredImage = Pick<ArchivedImage, 'id' | 'sha256' | 'takenAtMs'>;

/** The images of an address at one state of the archive. */
export interface ImageStore {
  /** Changes with the images, and with what is made of them. */
  readonly revision: string;
  readonly sourceId: number;
  readonly images: readonly StoredImage[];
  /** Pixels of every image. */
  readonly width: number;
  readonly height: number;
  /** Coordinates of the first image; null without. */
  readonly wcs: Wcs | null;
  /** The law of the first image that has one; else the sentence why there is none. */
  readonly confirmed: ConfirmedLaw | null;
  readonly refusal: string | null;
}

/** Resolution levels, of which the last is one chunk wide. */
export function levelsOf({ width, height }: Pick<ImageStore, 'width' | 'height'>): number {
  return Math.min(MEASURING.level, Math.max(0, Math.ceil(Math.log2(Math.max(width, height) / TILE_SIZE)))) + 1;
}

const CENSORING = 'NaN where the byte is an end of the scale, so that only a bound is known, or stands for no data.';
const INTERVAL =
  'A value is the middle of its level, which reaches from byte to byte + 1 by the law. The compression changes 95 % of the pixels by at ' +
  'most lossy_levels. getValue with the id of the image gives the interval of a place.';

function valueAttributes({ law, status, lossy, caveats }: ConfirmedLaw): Attributes {
  return {
    long_name: 'value of the pixel, or mean of the inverted values of a block of pixels',
    units: law.unit,
    law: law.name,
    status,
    formula: lawText(law),
    censoring: CENSORING,
    interval: INTERVAL,
    lossy_levels: lossy?.pixel ?? 0,
    caveats,
    law_of:
      'The first image. Another image has the law that its own header names; one with another unit, or without a law, is all NaN.',
  };
}

/** Columns of the array `wcs`: the keywords of a header. */
const observerOf = ({ observer, rsunRef }: Wcs): Readonly<Record<string, number>> => {
  const isCarrington = observer?.frame === 'heliographic_carrington';
  const [longitude, latitude] = [observer?.longitude ?? Number.NaN, observer?.latitude ?? Number.NaN];
  return {
    DSUN_OBS: observer?.distance ?? Number.NaN,
    HGLN_OBS: isCarrington ? Number.NaN : longitude,
    HGLT_OBS: isCarrington ? Number.NaN : latitude,
    CRLN_OBS: isCarrington ? longitude : Number.NaN,
    CRLT_OBS: isCarrington ? latitude : Number.NaN,
    RSUN_REF: rsunRef,
  };
};

/** The coordinates of an image at a level as keywords of a header. */
export function wcsAtLevel(wcs: Wcs, { width, height }: Pick<ImageStore, 'width' | 'height'>, level: number): Wcs {
  const { factor, columns, rows } = wholeBlocks({ width, height }, level);
  return wcsOfBlocks(wcs, { left: 0, below: 0, factor, width: columns, height: rows });
}

const VARYING = /^(CRPIX|CDELT|CRVAL|PC)/;

/** The numbers of the coordinates that vary between images, by their keywords. */
export function varyingWcs(wcs: Wcs): Readonly<Record<string, number>> {
  const cards = wcsCards(wcs).flatMap(({ keyword, value }) =>
    VARYING.test(keyword) && typeof value === 'number' ? [[keyword, value] as const] : [],
  );
  return { ...Object.fromEntries(cards), ...observerOf(wcs) };
}

function wcsAttributes(wcs: Wcs): Attributes {
  const known = Object.entries(varyingWcs(wcs)).filter(([, value]) => !Number.isNaN(value));
  const cards = wcsCards(wcs).map(({ keyword, value }) => [keyword, value]);
  const dated = wcs.dateObs ? { 'DATE-OBS': wcs.dateObs } : {};
  return { ...Object.fromEntries([...cards, ...known]), ...dated };
}

export function arraysOf(store: ImageStore, level: number): Readonly<Partial<Record<ArrayName, StoreArray>>> {
  const { images, wcs, confirmed } = store;
  const { columns, rows } = wholeBlocks(store, level);
  const cube = {
    shape: [images.length, rows, columns],
    chunks: [1, TILE_SIZE, TILE_SIZE],
    dimensions: ['time', 'y', 'x'],
  } as const;
  const series = { type: 'int64', shape: [images.length], chunks: [images.length], dimensions: ['time'], fill: 0 } as const;
  const bytes = { long_name: 'byte of the pixel, or rounded mean of a block of pixels', units: '1' };
  const keywords = wcs && Object.keys(varyingWcs(wcs));
  return {
    bytes: { ...cube, type: 'uint8', fill: 0, attributes: bytes },
    ...(confirmed ? { values: { ...cube, type: 'float32', fill: 'NaN', attributes: valueAttributes(confirmed) } as const } : {}),
    time: {
      ...series,
      attributes: {
        standard_name: 'time',
        long_name: 'observation time',
        units: 'milliseconds since 1970-01-01',
        calendar: 'proleptic_gregorian',
      },
    },
    id: { ...series, attributes: { long_name: 'id of the image, for getValue and getJP2Header' } },
    ...(keywords
      ? {
          wcs: {
            type: 'float64',
            shape: [images.length, keywords.length],
            chunks: [WCS_CHUNK, keywords.length],
            dimensions: ['time', 'keyword'],
            fill: 'NaN',
            attributes: { long_name: 'coordinates of each image, in the units of the attribute wcs of this group', keywords },
          } as const,
        }
      : {}),
  };
}

function levelAttributes(store: ImageStore, level: number): Attributes {
  const { wcs, refusal } = store;
  return {
    level,
    block: 2 ** level,
    rows: 'from the bottom, as in FITS',
    wcs: wcs && wcsAttributes(wcsAtLevel(wcs, store, level)),
    wcs_of: 'The first image. The array wcs has the coordinates of each.',
    ...(refusal === null ? {} : { no_values: refusal }),
  };
}

/** @param root Path of the groups of the levels */
function storeAttributes(store: ImageStore, root: string): Attributes {
  const { images, sourceId, revision } = store;
  return {
    source: findSource(sourceId)?.nickname ?? String(sourceId),
    source_id: sourceId,
    images: images.length,
    first: formatExact(images[0]!.takenAtMs),
    last: formatExact(images.at(-1)!.takenAtMs),
    revision,
    levels: Array.from({ length: levelsOf(store) }, (_, level) => `${root}${level}`),
    documentation: '/docs/#guide-measure',
  };
}

/** The store under its revision: a group for each level. */
export const pinnedTree = (store: ImageStore): StoreTree => [
  ['', { attributes: storeAttributes(store, '') }],
  ...Array.from({ length: levelsOf(store) }, (_, level): StoreTree => {
    const arrays = Object.entries(arraysOf(store, level)).map(([name, array]) => [`${level}/${name}/`, array] as const);
    return [[`${level}/`, { attributes: levelAttributes(store, level) }], ...arrays];
  }).flat(),
];

/** The store of an address without a revision: the group of its present one. */
export function currentTree(store: ImageStore): StoreTree {
  const root = `${store.revision}/`;
  const pinned = pinnedTree(store).map(([path, member]) => [root + path, member] as const);
  return [['', { attributes: storeAttributes(store, root) }], ...pinned];
}
