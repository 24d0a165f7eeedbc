// The objects of STAC 1.1 (https://github.com/radiantearth/stac-spec): the catalogue, collections (datasources) and items (images).
import { listedAddresses, viewAddress } from '../../archive/image-addresses.ts';
import { plateScale } from '../../picture/grids/pixel-grid.ts';
import { observedBounds } from '../../picture/grids/tile-pyramid.ts';
import { MEDIA_TYPES } from '../../platform/http/response.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import type { DataSource } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { Extent } from '../../sun/catalogue/tree.ts';
import type { ArchivedImage, ImageGeometry } from '../../sun/image.ts';
import { formatDateTime, formatExact } from '../../sun/time.ts';
import { idText } from '../services.ts';

export const STAC_VERSION = '1.1.0';
/** Sizes and checksums of files. */
const FILE_EXTENSION = 'https://stac-extensions.github.io/file/v2.1.0/schema.json';
/** Pixels of the file and where they are. */
const PROJECTION_EXTENSION = 'https://stac-extensions.github.io/projection/v2.0.0/schema.json';

export const JSON_TYPE = 'application/json';
export const GEOJSON_TYPE = 'application/geo+json';

export const link = (rel: string, href: string, type = JSON_TYPE) => ({ rel, href, type });

export const stacRoot = (origin: string): string => `${origin}/stac`;

export const collectionAddress = (sourceId: number, origin: string): string =>
  `${stacRoot(origin)}/collections/${idText('source', sourceId)}`;

/** Multihash of a SHA-256: its code and length in front. */
const multihash = (sha256: string): string => `1220${sha256}`;

/** No asset is in a coordinate reference system with a code. */
const NO_CODE = { 'proj:code': null } as const;

const BYTES_PER_VALUE = 4;

/** The finest level at which getImageData has the values of a whole image. */
function valuesLevel({ width, height }: ImageGeometry): number {
  const over = Math.log2((width * height * BYTES_PER_VALUE) / MEASURING.arrayBytes) / 2;
  return Math.min(Math.max(Math.ceil(over), 0), MEASURING.level);
}

/** The extension `projection`, without a code, as arcseconds have none. The transform leads to them from pixels, from the upper left corner. */
function projectionOf(geometry: ImageGeometry): object {
  const scale = plateScale(geometry);
  const [left, , , top] = observedBounds(geometry);
  return {
    ...NO_CODE,
    'proj:shape': [geometry.height, geometry.width],
    'proj:transform': [scale, 0, left, 0, -scale, top],
  };
}

function assetsOf(image: ArchivedImage, origin: string): object {
  const { id, byteLength, sha256, geometry } = image;
  const { jp2, header, preview } = listedAddresses(image, origin);
  return {
    data: {
      href: jp2,
      type: 'image/jp2',
      title: 'JPEG 2000 file',
      roles: ['data'],
      'file:size': byteLength,
      'file:checksum': multihash(sha256),
      ...projectionOf(geometry),
    },
    thumbnail: { href: preview, type: MEDIA_TYPES.jpg, title: 'Preview', roles: ['thumbnail'] },
    header: { href: header, type: 'text/xml', title: 'FITS header as XML', roles: ['metadata'] },
    tiles: {
      href: `${origin}/tiles/${idText('image', id)}.json`,
      type: JSON_TYPE,
      title: 'TileJSON with the template of map tiles',
      roles: ['tiles'],
    },
    fits: {
      href: `${origin}/v2/getImageData/?id=${id}&level=${valuesLevel(geometry)}&format=fits`,
      type: MEDIA_TYPES.fits,
      title: 'Physical values as FITS',
      description: 'Status 422 where the header has no law of the values, or the statistics do not confirm it.',
      roles: ['data'],
    },
  };
}

/** The highest two levels of a source: platform and instrument. */
function madeBy({ levels }: DataSource): { readonly platform: string; readonly instruments: readonly string[] } {
  const nameAt = (order: number) => levels.find((level) => level.order === order)!.name;
  return { platform: nameAt(1), instruments: [nameAt(2)] };
}

/** Geometry, in arcseconds from the centre of the Sun as the observer saw them. docs/tools.md describes each member. */
function solarProperties({ id, sourceId, geometry }: ArchivedImage): object {
  const scale = plateScale(geometry);
  return {
    'solar:image': id,
    'solar:source': sourceId,
    'solar:bounds': observedBounds(geometry),
    'solar:shape': [geometry.height, geometry.width],
    'solar:pixel_scale': scale,
    'solar:limb_radius': geometry.rsunPixels * scale,
    'solar:rotation': geometry.rotationDegrees,
    'solar:observer_distance': geometry.dsunMetres,
  };
}

export function itemOf(image: ArchivedImage, origin: string): object {
  const { id, sourceId, takenAtMs } = image;
  const source = findSource(sourceId);
  const collection = collectionAddress(sourceId, origin);
  return {
    type: 'Feature',
    stac_version: STAC_VERSION,
    stac_extensions: [FILE_EXTENSION, PROJECTION_EXTENSION],
    id: idText('image', id),
    collection: idText('source', sourceId),
    geometry: null,
    properties: {
      title: `${source?.nickname ?? sourceId} ${formatDateTime(takenAtMs)} UTC`,
      datetime: formatExact(takenAtMs),
      ...(source ? madeBy(source) : {}),
      ...NO_CODE,
      ...solarProperties(image),
    },
    links: [
      link('self', `${collection}/items/${idText('image', id)}`, GEOJSON_TYPE),
      link('root', stacRoot(origin)),
      link('parent', collection),
      link('collection', collection),
      link('alternate', viewAddress(origin, sourceId, takenAtMs), 'text/html'),
    ],
    assets: assetsOf(image, origin),
  };
}

/** Collections must state a place on the Earth, which images of the Sun do not have: all of it. */
const WHOLE_EARTH = [-180, -90, 180, 90] as const;

export function collectionOf(source: DataSource, { startMs, endMs }: Extent, origin: string): object {
  const { id, nickname, description } = source;
  const { platform, instruments } = madeBy(source);
  const self = collectionAddress(id, origin);
  return {
    type: 'Collection',
    stac_version: STAC_VERSION,
    id: idText('source', id),
    title: nickname,
    description: `Images of the datasource ${id}: ${description ?? nickname}.`,
    license: 'other',
    extent: {
      spatial: { bbox: [WHOLE_EARTH] },
      temporal: { interval: [[formatExact(startMs), formatExact(endMs)]] },
    },
    summaries: { platform: [platform], instruments },
    links: [
      link('self', self),
      link('root', stacRoot(origin)),
      link('parent', stacRoot(origin)),
      link('items', `${self}/items`, GEOJSON_TYPE),
    ],
  };
}
