// The tile pyramid as a Web Map Tile Service: the capabilities document of WMTS 1.0.0 (OGC 07-057r7) for tiles by address.
import type { ImageType } from '../../archive/drawing/formats/formats.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import { mercatorBounds, mercatorMetres, SQUARE_EDGE_ARCSEC, ZOOMS, zoomScale } from '../../picture/grids/tile-pyramid.ts';
import { refusalOfMagnetogram } from '../../picture/operations/filter.ts';
import type { Operations } from '../../picture/operations/operations.ts';
import { MEDIA_TYPES, SETTLED, textReply } from '../../platform/http/response.ts';
import type { Failure } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeXml } from '../../platform/util/markup.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { formatDateTime, formatExact } from '../../sun/time.ts';
import { selectImage } from '../images/jp2.ts';
import { failedAs, idText, namingHost, resource, serviceOrigin } from '../services.ts';
import { described, STYLES, squareOf, tileQuery, tilesetPath } from './tile-pyramid.ts';

export const WMTS_TYPE = 'application/xml; charset=utf-8';
const OWS = 'xmlns:ows="http://www.opengis.net/ows/1.1"';

/** Metres of a pixel of a screen, in which the standard states scales. */
const PIXEL_METRES = 0.00028;

/** A projection of the tiles, whose unit counts as a metre in scales. */
interface TileMatrixSet {
  readonly name: string;
  readonly crs: string;
  /** Places in the units of the projection, from those in arcseconds. */
  readonly placeOf: (xArcsec: number, yArcsec: number) => readonly [number, number];
}

const HELIOPROJECTIVE: TileMatrixSet = {
  name: 'helioprojective',
  crs: `urn:x-${SERVICE_NAME}:crs:helioprojective-arcsec`,
  placeOf: (x, y) => [x, y],
};

/** Takes the square of the tiles for the world, for maps that have known projections only. */
const WEB_MERCATOR: TileMatrixSet = { name: 'WebMercator', crs: 'urn:ogc:def:crs:EPSG::3857', placeOf: mercatorMetres };

/** Tiles of a zoom: metres of a pixel, the upper left corner, and how many there are. */
interface Matrix {
  readonly zoom: number;
  readonly metres: number;
  readonly corner: readonly [number, number];
  readonly columns: number;
  readonly rows: number;
}

export function matrixSet(name: string, crs: string, matrices: readonly Matrix[]): string {
  const elements = matrices.map(
    ({ zoom, metres, corner, columns, rows }) =>
      `<TileMatrix><ows:Identifier>${zoom}</ows:Identifier><ScaleDenominator>${metres / PIXEL_METRES}</ScaleDenominator>\
<TopLeftCorner>${corner.join(' ')}</TopLeftCorner><TileWidth>${TILE_SIZE}</TileWidth><TileHeight>${TILE_SIZE}</TileHeight>\
<MatrixWidth>${columns}</MatrixWidth><MatrixHeight>${rows}</MatrixHeight></TileMatrix>`,
  );
  return `<TileMatrixSet><ows:Identifier>${name}</ows:Identifier><ows:SupportedCRS>${crs}</ows:SupportedCRS>\n${elements.join('\n')}\n</TileMatrixSet>`;
}

function squareSet({ name, crs, placeOf }: TileMatrixSet, lastZoom: number): string {
  const corner = placeOf(-SQUARE_EDGE_ARCSEC, SQUARE_EDGE_ARCSEC);
  const unitsPerArcsec = corner[1] / SQUARE_EDGE_ARCSEC;
  const matrices = Array.from({ length: lastZoom + 1 - ZOOMS.min }, (_, i) => {
    const [zoom, tiles] = [ZOOMS.min + i, 2 ** (ZOOMS.min + i)];
    return { zoom, metres: zoomScale(zoom) * unitsPerArcsec, corner, columns: tiles, rows: tiles };
  });
  return matrixSet(name, crs, matrices);
}

const corners = ([left, bottom, right, top]: readonly number[]) =>
  `<ows:LowerCorner>${left} ${bottom}</ows:LowerCorner><ows:UpperCorner>${right} ${top}</ows:UpperCorner>`;

/** A filter of the query leaves the default style, as does a magnetogram, which has no filters. */
const stylesOf = (style: Operations, { sourceId }: ArchivedImage): readonly string[] =>
  style.filter || refusalOfMagnetogram(sourceId) ? STYLES.slice(0, 1) : STYLES;

interface Layer {
  readonly title: string;
  readonly bounds: readonly number[];
  readonly identifier: string;
  /** Elements. */
  readonly boxes?: string;
  readonly dimension?: string;
  /** The default one first. */
  readonly styles: readonly string[];
  readonly type: ImageType;
  readonly sets: readonly string[];
  readonly template: string;
}

/** A capabilities document of one layer. `sets`: elements; `tiles`: the address of its tiles and itself. */
export function capabilitiesOf(layer: Layer, sets: readonly string[], tiles: string): string {
  const { title, bounds, identifier, boxes = '', styles, type, dimension = '', template } = layer;
  const format = MEDIA_TYPES[type];
  const links = layer.sets.map((set) => `<TileMatrixSetLink><TileMatrixSet>${set}</TileMatrixSet></TileMatrixSetLink>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Capabilities xmlns="http://www.opengis.net/wmts/1.0" ${OWS} xmlns:xlink="http://www.w3.org/1999/xlink" version="1.0.0">
<ows:ServiceIdentification><ows:Title>${SERVICE_NAME}</ows:Title><ows:ServiceType>OGC WMTS</ows:ServiceType>\
<ows:ServiceTypeVersion>1.0.0</ows:ServiceTypeVersion></ows:ServiceIdentification>
<Contents>
<Layer>
<ows:Title>${escapeXml(title)}</ows:Title>
<ows:WGS84BoundingBox>${corners(bounds)}</ows:WGS84BoundingBox>
<ows:Identifier>${identifier}</ows:Identifier>
${boxes}
${styles.map((name, i) => `<Style isDefault="${i === 0}"><ows:Identifier>${name}</ows:Identifier></Style>`).join('')}
<Format>${format}</Format>
${dimension}${links.join('')}
<ResourceURL format="${format}" resourceType="tile" template="${escapeXml(template)}"/>
</Layer>
${sets.join('\n')}
</Contents>
<ServiceMetadataURL xlink:href="${escapeXml(`${tiles}/1.0.0/WMTSCapabilities.xml`)}"/>
</Capabilities>
`;
}

/** Codes of exceptions of OGC Web Services by failures of a request. */
const EXCEPTION_CODES: Readonly<Partial<Record<Failure['kind'], string>>> = {
  'bad-parameter': 'InvalidParameterValue',
  'missing-parameter': 'MissingParameterValue',
  'unknown-id': 'InvalidParameterValue',
  'no-image': 'InvalidParameterValue',
};

/** Failures of a request as an exception report of OGC Web Services; too many requests and faults keep the form of the operations. */
export const failed = failedAs(WMTS_TYPE, ({ kind, parameter, message }) => {
  const code = EXCEPTION_CODES[kind];
  if (code === undefined) return null;
  return `<?xml version="1.0" encoding="UTF-8"?>
<ows:ExceptionReport ${OWS} version="1.1.0"><ows:Exception exceptionCode="${code}" locator="${escapeXml(parameter ?? '')}">\
<ows:ExceptionText>${escapeXml(message)}</ows:ExceptionText></ows:Exception></ows:ExceptionReport>
`;
});

export const wmtsCapabilities = resource({
  name: 'wmts',
  path: /^\/tiles\/(?:(?<projection>[^/]+)\/)?(?<tileset>[^/]+)\/1\.0\.0\/WMTSCapabilities\.xml$/,
  ...described,
  handle: async ({ what, format, style, projection }, context) => {
    const { image, distanceSeconds, policy, tags } = await selectImage(what, context, 'tileset');
    const { index } = context.services;
    const ends = 'id' in what ? null : await index.ends(what.sourceId, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    const { bounds, zooms } = await squareOf(image, projection, context);
    // Screen planes of projections are not helioprojective.
    const sets = projection ? [WEB_MERCATOR] : [WEB_MERCATOR, HELIOPROJECTIVE];
    const tileset = tilesetPath('id' in what ? idText('image', what.id) : String(what.sourceId), projection);
    const tiles = `${serviceOrigin(context)}/tiles/${tileset}`;
    const styles = stylesOf(style, image);
    const times = ends?.first && ends.last && [ends.first.takenAtMs, ends.last.takenAtMs];
    const query = [times && 'date={Time}', styles.length > 1 && 'style={Style}', String(tileQuery({ format, style }))];
    const parameters = query.filter(Boolean).join('&');
    const [left, bottom, right, top] = bounds;
    const boxes = sets.map(({ crs, placeOf }) => {
      const box = [...placeOf(left, bottom), ...placeOf(right, top)];
      return `<ows:BoundingBox crs="${crs}">${corners(box)}</ows:BoundingBox>`;
    });
    const layer = {
      title: `${findSource(image.sourceId)?.nickname ?? ''} ${formatDateTime(image.takenAtMs)} UTC`,
      bounds: mercatorBounds(bounds),
      identifier: tileset,
      boxes: boxes.join('\n'),
      styles,
      type: format.type,
      dimension: times
        ? `<Dimension><ows:Identifier>Time</ows:Identifier><ows:UOM>ISO8601</ows:UOM><Default>${formatExact(image.takenAtMs)}</Default>\
<Value>${times.map(formatExact).join('/')}</Value></Dimension>\n`
        : '',
      sets: sets.map(({ name }) => name),
      template: `${tiles}/{TileMatrix}/{TileCol}/{TileRow}.${format.type}${parameters && `?${parameters}`}`,
    };
    const matrices = sets.map((set) => squareSet(set, zooms.max));
    const text = capabilitiesOf(layer, matrices, tiles);
    return textReply(WMTS_TYPE, text, { policy: namingHost(distanceSeconds === undefined ? SETTLED : policy, context), tags });
  },
  failed,
});
