// Tiles of maps of the whole Sun at `/tiles/carrington/…` and `/tiles/cea/…`, as TileJSON and as a Web Map Tile Service in degrees.
import { IMAGE_TYPES } from '../../archive/drawing/formats/formats.ts';
import { timelineTagOf } from '../../archive/keys.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { addressText, choice, date, integer, type Values } from '../../platform/http/parameters.ts';
import { bytesReply, jsonReply, MEDIA_TYPES, RECENT, textReply } from '../../platform/http/response.ts';
import { MAPS } from '../../platform/limits/maps.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { isoDay } from '../../sun/time.ts';
import { mapSources } from '../measure/images.ts';
import { type Context, namingHost, policyUntil, resource, serviceOrigin } from '../services.ts';
import { fileFormat, quality } from './scene-parameters.ts';
import { capabilitiesOf, failed, matrixSet, WMTS_TYPE } from './wmts.ts';

const { lastZoom } = MAPS.tiles;
/** Metres of a degree by which WMTS states scales (OGC 07-057r7, 6.1). */
const METRES_PER_DEGREE = 111_319.490_793_273_58;
const BOUNDS = [-180, -90, 180, 90] as const;

const shown = {
  projection: choice('`carrington`: rows of equal latitudes; `cea`: of equal areas.', ['carrington', 'cea']),
  sources: addressText('the number of a datasource like 10, or of up to four like 10,20,'),
  date: date('The map is that of the midnight before. Unset: now.').optional(),
};

/** @throws Failure `bad-parameter` */
function mapOf({ projection, sources, date: atMs }: Values<typeof shown>) {
  const ids = sources.split(',').map((text) => (/^\d{1,6}$/.test(text) ? Number(text) : Number.NaN));
  if (ids.length > MAPS.sources || ids.some(Number.isNaN))
    throw badParameter('sources', `1 to ${MAPS.sources} numbers of datasources, separated by commas,`, sources);
  return {
    projection,
    sourceIds: mapSources([...new Set(ids)], 'sources'),
    day: atMs === undefined ? null : Math.floor(atMs / DAY_MS) * DAY_MS,
  };
}

type Shown = ReturnType<typeof mapOf>;

const keyOf = ({ projection, sourceIds, day }: Shown) => ({ projection, sources: sourceIds, date: day ?? undefined });
const midnight = ({ day }: Shown, { services }: Context) => day ?? Math.floor(services.clock() / DAY_MS) * DAY_MS;
const titleOf = ({ sourceIds }: Shown, atMs: number) =>
  `${sourceIds.map((id) => findSource(id)?.nickname).join(', ')} ${isoDay(atMs)}`;

export const mapTile = resource({
  name: 'map-tiles',
  path: /^\/tiles\/(?<projection>carrington|cea)\/(?<sources>[^/]+)\/(?<z>[^/]+)\/(?<x>[^/]+)\/(?<y>[^/]+)\.(?<type>[^/.]+)$/,
  parameters: {
    z: integer('Zoom: two tiles at 0, and each has four of the next.', { min: 0, max: lastZoom }),
    x: integer('Column, from longitude -180.', { min: 0, max: 2 ** (lastZoom + 1) - 1 }),
    y: integer('Row, from the north.', { min: 0, max: 2 ** lastZoom - 1 }),
    type: choice('Format.', IMAGE_TYPES),
    quality,
    ...shown,
  },
  canonical: ({ z, x, y, type, quality: given, ...values }) => {
    for (const [name, value, count] of [
      ['x', x, 2 ** (z + 1)],
      ['y', y, 2 ** z],
    ] as const) {
      if (value >= count) throw badParameter(name, `a whole number from 0 to ${count - 1} at zoom ${z}`, value);
    }
    return { place: { z, x, y }, format: { type, quality: given }, map: mapOf(values) };
  },
  key: ({ place, format, map }) => ({ ...place, ...format, ...keyOf(map) }),
  handle: async ({ place, format, map }, context) => {
    const atMs = midnight(map, context);
    const projection = map.projection === 'cea' ? 'cea' : 'car';
    const tile = { ...place, projection, sourceIds: map.sourceIds, atMs } as const;
    const { bytes, images, isWhole } = await context.services.mapFiles.tile(tile, format, context);
    const tags = images.map(({ image }) => timelineTagOf(image));
    return bytesReply(MEDIA_TYPES[format.type], bytes, { policy: isWhole ? policyUntil(atMs, context.services) : RECENT, tags });
  },
});

const described = {
  parameters: { ...shown, ...fileFormat },
  canonical: ({ type, quality: given, ...values }: Values<typeof shown & typeof fileFormat>) => ({
    format: { type, quality: given },
    map: mapOf(values),
  }),
  key: ({ format, map }: { readonly format: object; readonly map: Shown }) => ({ ...format, ...keyOf(map) }),
};

/** The address of the tiles, with the names of a template, and its query. */
function template({ format, map }: ReturnType<typeof described.canonical>, atMs: number, context: Context, names: string) {
  const query = new URLSearchParams({
    date: isoDay(atMs),
    ...(format.quality === undefined ? {} : { quality: String(format.quality) }),
  });
  return `${serviceOrigin(context)}/tiles/${map.projection}/${map.sourceIds}/${names}.${format.type}?${query}`;
}

export const mapTileJson = resource({
  name: 'map-tilejson',
  path: /^\/tiles\/(?<projection>carrington|cea)\/(?<sources>[^/]+)\.json$/,
  ...described,
  handle: async (described, context) => {
    const atMs = midnight(described.map, context);
    const document = {
      tilejson: '3.0.0',
      name: titleOf(described.map, atMs),
      description: 'The surface of the Sun in longitudes of Carrington, from -180 to 180 modulo 360: two tiles at zoom 0.',
      attribution: described.map.sourceIds.map((id) => findSource(id)?.credit.line).join('; '),
      version: '1.0.0',
      scheme: 'xyz',
      tiles: [template(described, atMs, context, '{z}/{x}/{y}')],
      minzoom: 0,
      maxzoom: lastZoom,
      bounds: BOUNDS,
      center: [0, 0, 0],
      vector_layers: [],
      heliographic: {
        frame: 'Carrington',
        date: new Date(atMs).toISOString(),
        tileSize: TILE_SIZE,
        rows: described.map.projection === 'cea' ? 'equal areas' : 'equal latitudes',
        crs: described.map.projection === 'cea' ? null : 'OGC:CRS84',
      },
    };
    return jsonReply(document, { policy: namingHost(RECENT, context) });
  },
});

export const mapCapabilities = resource({
  name: 'map-wmts',
  path: /^\/tiles\/(?<projection>carrington|cea)\/(?<sources>[^/]+)\/1\.0\.0\/WMTSCapabilities\.xml$/,
  ...described,
  handle: async (described, context) => {
    if (described.map.projection === 'cea') throw badParameter('projection', 'carrington, the rows of which are degrees,', 'cea');
    const atMs = midnight(described.map, context);
    const identifier = `carrington-${described.map.sourceIds.join('-')}`;
    const layer = {
      identifier,
      title: titleOf(described.map, atMs),
      bounds: BOUNDS,
      type: described.format.type,
      styles: ['default'],
      sets: ['CRS84'],
      template: template(described, atMs, context, '{TileMatrix}/{TileCol}/{TileRow}'),
    };
    const matrices = Array.from({ length: lastZoom + 1 }, (_, zoom) => {
      const metres = (180 / TILE_SIZE / 2 ** zoom) * METRES_PER_DEGREE;
      return { zoom, metres, corner: [-180, 90] as const, columns: 2 ** (zoom + 1), rows: 2 ** zoom };
    });
    const set = matrixSet('CRS84', 'urn:ogc:def:crs:OGC:1.3:CRS84', matrices);
    const tiles = `${serviceOrigin(context)}/tiles/carrington/${described.map.sourceIds}`;
    return textReply(WMTS_TYPE, capabilitiesOf(layer, [set], tiles), { policy: namingHost(RECENT, context) });
  },
  failed,
});
