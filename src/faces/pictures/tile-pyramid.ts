// Ordinary tiles at `/tiles/…/{z}/{x}/{y}`, in the plane or another projection, and their description as TileJSON 3.0.0.
import { IMAGE_TYPES } from '../../archive/drawing/formats/formats.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import { plateScale, TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { ArcsecBounds } from '../../picture/grids/tile-pyramid.ts';
import {
  mercatorBounds,
  mercatorDegrees,
  SQUARE_EDGE_ARCSEC,
  tileAt,
  usefulZooms,
  ZOOMS,
} from '../../picture/grids/tile-pyramid.ts';
import { uprightBounds } from '../../picture/grids/upright.ts';
import { FILTER_NAMES } from '../../picture/operations/filter.ts';
import { type Operations, operationQuery, operationsIn } from '../../picture/operations/operations.ts';
import { addressKey } from '../../picture/picture.ts';
import { type Projection, printProjection } from '../../picture/projection.ts';
import { mappingOf, shownSides } from '../../picture/projections/projections.ts';
import { projectionMember } from '../../picture/recipe.ts';
import { addressText, choice, date, integer, type Values } from '../../platform/http/parameters.ts';
import { bytesReply, DRAWN, jsonReply, MEDIA_TYPES, RECENT, SETTLED } from '../../platform/http/response.ts';
import { badParameter, conflict, Failure, when } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { planeOf } from '../../sun/coordinates/image-plane.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { formatDateTime } from '../../sun/time.ts';
import { imageHeaders } from '../images/image-headers.ts';
import { type SelectedImage, type Selection, selectImage } from '../images/jp2.ts';
import { resolveSource } from '../images/source-parameters.ts';
import { type Context, idText, namingHost, resource, serviceOrigin } from '../services.ts';
import { fileFormat, operations, projection, quality } from './scene-parameters.ts';
import { drawnFacts } from './tiles.ts';

export const STYLES = ['default', ...FILTER_NAMES] as const;

const TILESET = /^(image-)?(\d{1,15})$/;
const TILESET_EXPECTED = 'the number of a datasource like 10, or an image like image-26,';

const shown = {
  tileset: addressText(TILESET_EXPECTED),
  date: date('Of a datasource: selects the image nearest to this time. Unset: the newest image.').optional(),
  projection,
  ...operations,
};

/** @throws Failure `bad-parameter` */
function shownBy({ tileset, date }: { readonly tileset: string; readonly date?: number | undefined }): Selection {
  const [, image, digits] = TILESET.exec(tileset) ?? [];
  if (digits === undefined) throw badParameter('tileset', TILESET_EXPECTED, tileset);
  if (image === undefined) return { sourceId: resolveSource({ sourceId: Number(digits) }), atMs: date };
  if (date !== undefined) throw conflict('date', `the single image ${tileset}`);
  return { id: Number(digits) };
}

/** The projection of tiles of one image. @throws Failure `bad-parameter`, also for one whose tiles are of the map of the whole Sun */
function shownIn(text: string | undefined): { readonly projection?: Projection } {
  const member = projectionMember(text, false);
  const kind = member.projection?.kind;
  if (kind !== 'carrington' && kind !== 'cea') return member;
  const what = `a projection of one image like sphere,20,-5, or /tiles/${kind}/10/… for the map of the whole Sun,`;
  throw badParameter('projection', what, text);
}

/**
 * Policy and tags of a tile, which depends on the choice of its image, in a difference on that of the one subtracted, and in the view of another
 * observer on an orbit, which a newer table may change.
 */
function tileFacts(
  { image, distanceSeconds, policy, tags }: SelectedImage,
  reference: ArchivedImage | null,
  style: Operations,
  projection: Projection | undefined,
  { services }: Context,
) {
  const isFixed = distanceSeconds === undefined;
  const fixed = projection?.kind === 'observer' ? { policy: SETTLED } : DRAWN;
  if (!reference) return isFixed ? { ...fixed, tags } : { policy, tags };
  const other = drawnFacts(image, reference, style, services);
  return { policy: isFixed || policy !== RECENT ? other.policy : policy, tags: [...tags, ...other.tags] };
}

export const pyramidTile = resource({
  name: 'tiles',
  path: /^\/tiles\/(?:(?<projection>[^/]+)\/)?(?<tileset>[^/]+)\/(?<z>[^/]+)\/(?<x>[^/]+)\/(?<y>[^/]+)\.(?<type>[^/.]+)$/,
  parameters: {
    z: integer('Zoom: each has twice the tiles of the one before along each side.', ZOOMS),
    x: integer('Column, from the left.', { min: 0, max: 2 ** ZOOMS.max - 1 }),
    y: integer('Row, from the top.', { min: 0, max: 2 ** ZOOMS.max - 1 }),
    type: choice('Format.', IMAGE_TYPES),
    quality,
    style: choice('Style of a WMTS layer: a filter, which `filter` overrides.', STYLES).default('default'),
    ...shown,
  },
  canonical: (values) => ({
    address: values,
    tile: tileAt(values),
    ...tilesOf(values.style === 'default' ? values : { filter: values.style, ...values }),
  }),
  key: ({ address: { z, x, y }, ...tiles }) => ({ z, x, y, ...described.key(tiles) }),
  handle: async ({ tile, format, what, style, projection }, context) => {
    const selected = await selectImage(what, context, 'tileset');
    const seen = projection && (await context.services.projections.ofImage(projection, selected.image));
    const { reference, bytes, isSketch } = await context.services.tiles.tile(
      { ...tile, ...format, id: selected.image.id, projection: seen?.projection, ...style },
      context,
    );
    const headers = imageHeaders(selected.image, selected.distanceSeconds);
    const drawn = tileFacts(selected, reference, style, projection, context);
    const facts = isSketch ? { policy: RECENT, tags: drawn.tags } : drawn;
    return bytesReply(MEDIA_TYPES[format.type], bytes, { ...facts, headers });
  },
});

/** The square of the tiles of an image: its edges, zooms, and what TileJSON has no members for. @throws Failure as `ProjectionCheck.ofImage` */
export async function squareOf(image: ArchivedImage, projection: Projection | undefined, { services, stopwatch }: Context) {
  const { geometry } = image;
  const reading = jp2Header({ objects: services.objects, stopwatch }, image);
  const header = await reading.catch(when(Failure, ({ kind }) => (kind === 'bad-header' ? null : undefined)));
  const flat = uprightBounds(header && planeOf(image, header), geometry);
  if (!projection)
    return { bounds: flat, zooms: usefulZooms(geometry), members: { helioprojective: helioprojective(image, flat) } };
  const { projection: placed, observer } = await services.projections.ofImage(projection, image);
  const [left, bottom, right, top] = flat.map((arcsec) => arcsec / geometry.scaleCorrection) as unknown as ArcsecBounds;
  const sides = shownSides(
    { projection: placed, distanceRadii: observer.distanceRadii },
    { left, top: -top, right, bottom: -bottom },
  );
  const bounds: ArcsecBounds = [sides.left, -sides.bottom, sides.right, -sides.top];
  const scale = geometry.scaleArcsecPerPixel;
  const { disc } = mappingOf(placed, observer);
  const screen = {
    ...helioprojective(image, bounds),
    projection: printProjection(projection),
    frame: 'the screen plane of the projection, as seen from 1 au',
    axes: { x: 'right', y: 'up' },
    limb: disc && { x: 0, y: 0, radius: disc },
    pixelScale: scale,
    perArcsecFrom1au: 1,
  };
  const extent = Math.max(sides.right - sides.left, sides.bottom - sides.top);
  return { bounds, zooms: usefulZooms(geometry, scale, extent), members: { screen } };
}

/** What TileJSON has no members for: places in arcseconds, the limb, and the image. */
function helioprojective({ id, sourceId, takenAtMs, geometry }: ArchivedImage, bounds: ArcsecBounds) {
  const scale = plateScale(geometry);
  return {
    image: id,
    source: sourceId,
    date: new Date(takenAtMs).toISOString(),
    unit: 'arcsec',
    frame: 'as seen by the observer of the image',
    axes: { x: 'solar west', y: 'solar north' },
    /** Distance from the centre of the Sun, which is that of the square, to each edge of the tile of zoom 0. */
    edge: SQUARE_EDGE_ARCSEC,
    tileSize: TILE_SIZE,
    bounds,
    limb: { x: 0, y: 0, radius: geometry.rsunPixels * scale },
    pixelScale: scale,
    /** Arcseconds here for one as seen from 1 au, which getTile and screenshots have. */
    perArcsecFrom1au: geometry.scaleCorrection,
    observerDistance: geometry.dsunMetres,
    /** CROTA of the header in degrees; tiles are north up. */
    rotation: geometry.rotationDegrees,
  };
}

/** Parameters of a description of the tiles. */
const describedShape = { ...shown, ...fileFormat };

const tilesOf = (values: Values<typeof describedShape>) => ({
  what: shownBy(values),
  format: { type: values.type, quality: values.quality },
  style: operationsIn(values),
  ...shownIn(values.projection),
});

type DescribedTiles = ReturnType<typeof tilesOf>;

/** What descriptions of the tiles have in common. */
export const described = {
  parameters: describedShape,
  canonical: tilesOf,
  key: ({ what, format, style, projection }: DescribedTiles) => {
    const image = 'id' in what ? { id: what.id } : { sourceId: what.sourceId, date: what.atMs };
    return addressKey({ ...image, ...format, projection: printProjection(projection), ...style });
  },
};

/** The tiles of a tileset in a projection, as in their addresses. */
export const tilesetPath = (tileset: string, projection?: Projection): string =>
  projection ? `${printProjection(projection)}/${tileset}` : tileset;

export const tileQuery = ({ format: { quality: q }, style }: Pick<DescribedTiles, 'format' | 'style'>) =>
  new URLSearchParams({ ...operationQuery(style), ...(q === undefined ? {} : { quality: String(q) }) });

export const pyramidDescription = resource({
  name: 'tilejson',
  path: /^\/tiles\/(?:(?<projection>[^/]+)\/)?(?<tileset>[^/]+)\.json$/,
  ...described,
  handle: async ({ what, format, style, projection }, context) => {
    const selected = await selectImage(what, context, 'tileset');
    const { image, distanceSeconds, tags } = selected;
    const { bounds, zooms, members } = await squareOf(image, projection, context);
    const [left, bottom, right, top] = bounds;
    const path = tilesetPath(idText('image', image.id), projection);
    const name = findSource(image.sourceId)?.nickname ?? '';
    const query = tileQuery({ format, style });
    const document = {
      tilejson: '3.0.0',
      name: `${name} ${formatDateTime(image.takenAtMs)} UTC${projection ? ` [${printProjection(projection, 1)}]` : ''}`,
      description: `A square around the Sun in ${projection ? 'arcseconds of a projection' : 'helioprojective arcseconds'}; bounds and center are \
where a map in Web Mercator has it.`,
      attribution: findSource(image.sourceId)?.credit.line,
      version: '1.0.0',
      scheme: 'xyz',
      tiles: [`${serviceOrigin(context)}/tiles/${path}/{z}/{x}/{y}.${format.type}${query.size > 0 ? `?${query}` : ''}`],
      minzoom: zooms.min,
      maxzoom: zooms.max,
      bounds: mercatorBounds(bounds),
      center: [...mercatorDegrees((left + right) / 2, (bottom + top) / 2), zooms.min],
      vector_layers: [],
      ...members,
    };
    // A later version may describe an image otherwise, so that not even that of an id is immutable.
    const policy = distanceSeconds === undefined ? SETTLED : selected.policy;
    return jsonReply(document, { policy: namingHost(policy, context), tags, headers: imageHeaders(image, distanceSeconds) });
  },
});
