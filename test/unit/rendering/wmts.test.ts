import { XMLParser } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { SQUARE_EDGE_ARCSEC, zoomScale } from '../../../src/picture/grids/tile-pyramid.ts';
import { testArchive } from '../../support/test-archive.ts';

const archive = testArchive();
const get = (query: string) => archive.get(`/tiles/${query}`);
const parser = new XMLParser({ ignoreAttributes: false, removeNSPrefix: true, isArray: (name) => name === 'TileMatrixSet' });
const layerOf = async (query: string) => {
  const text = await (await get(query)).text();
  return parser.parse(text).Capabilities.Contents;
};

it('the capabilities of WMTS name the tiles of a datasource at a time, which every address has', async () => {
  const response = await get('10/1.0.0/WMTSCapabilities.xml?date=2024-01-01T00:01:00Z&difference=1&diffCount=1&diffTime=1');
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/xml; charset=utf-8']);
  const { Layer } = parser.parse(await response.text()).Capabilities.Contents;
  expect(Layer.Dimension).toMatchObject({
    Identifier: 'Time',
    Default: '2024-01-01T00:01:00.000Z',
    Value: '2024-01-01T00:00:00.000Z/2024-01-31T11:00:00.000Z',
  });
  const template = Layer.ResourceURL['@_template'] as string;
  const tile = template
    .replace('{Time}', Layer.Dimension.Default)
    .replace('{Style}', 'default')
    .replace('{TileMatrix}', '11')
    .replace('{TileCol}', '1023')
    .replace('{TileRow}', '1024');
  const drawn = await archive.get(tile.slice('http://sun.test'.length));
  expect([drawn.status, await drawn.text()]).toEqual([200, expect.stringMatching(/^PNG 42 minus 26 -1 0 0.6$/)]);
});

it('the capabilities of WMTS lack a dimension for an image', async () => {
  const { Layer } = await layerOf('image-58/1.0.0/WMTSCapabilities.xml?type=webp');
  expect(Layer.Dimension).toBeUndefined();
  expect(Layer.ResourceURL).toMatchObject({
    '@_format': 'image/webp',
    '@_template': 'http://sun.test/tiles/image-58/{TileMatrix}/{TileCol}/{TileRow}.webp?style={Style}',
  });
});

it('the capabilities of WMTS list their members in order, and filters as styles with the tiles of the parameter', async () => {
  const { Layer } = await layerOf('10/1.0.0/WMTSCapabilities.xml');
  expect(Layer.Style.map((style: { Identifier: string }) => style.Identifier)).toEqual(['default', 'rhef', 'nrgf', 'mgn']);
  const tile = (query: string) => get(`10/11/1023/1024.png?${query}`).then((response) => response.text());
  expect(await tile('style=nrgf')).toBe(await tile('filter=nrgf'));
  expect(await tile('style=nrgf')).not.toBe(await tile('style=default'));
  expect(await tile('style=nrgf&filter=rhef')).toBe(await tile('filter=rhef'));
  const filtered = (await layerOf('10/1.0.0/WMTSCapabilities.xml?filter=mgn')).Layer;
  expect([filtered.Style.Identifier, filtered.ResourceURL['@_template']]).toEqual([
    'default',
    expect.stringMatching(/png\?date=\{Time\}&filter=mgn$/),
  ]);
  const order = ['Title', 'WGS84BoundingBox', 'Identifier', 'BoundingBox', 'Style', 'Format', 'Dimension', 'TileMatrixSetLink'];
  expect(Object.keys(Layer)).toEqual([...order, 'ResourceURL']);
});

it('the capabilities of WMTS state the square in arcseconds and as the world, to the zoom with all pixels', async () => {
  const { TileMatrixSet: sets } = await layerOf('10/1.0.0/WMTSCapabilities.xml');
  const [mercator, arcsec] = sets;
  expect(sets.map((set: { Identifier: string }) => set.Identifier)).toEqual(['WebMercator', 'helioprojective']);
  expect(arcsec.TileMatrix).toHaveLength(12);
  expect(arcsec.TileMatrix[11]).toMatchObject({
    TopLeftCorner: `${-SQUARE_EDGE_ARCSEC} ${SQUARE_EDGE_ARCSEC}`,
    TileWidth: 512,
    MatrixWidth: 2048,
  });
  expect(arcsec.TileMatrix[11].ScaleDenominator * 0.00028).toBeCloseTo(zoomScale(11), 9);
  // Half of the first scale of maps with tiles of 256 pixels.
  expect(mercator.TileMatrix[0].ScaleDenominator).toBeCloseTo(559082264.0287178 / 2, 2);
});

it.each([
  ['10/1.0.0/WMTSCapabilities.xml?date=noon', 'InvalidParameterValue', 'date'],
  ['x%3Cy/1.0.0/WMTSCapabilities.xml', 'InvalidParameterValue', 'tileset'],
  ['999/1.0.0/WMTSCapabilities.xml', 'InvalidParameterValue', 'tileset', 404],
  ['13/1.0.0/WMTSCapabilities.xml', 'InvalidParameterValue', 'tileset', 404],
  ['image-99999/1.0.0/WMTSCapabilities.xml', 'InvalidParameterValue', 'tileset', 404],
  ['10/1.0.0/WMTSCapabilities.xml?difference=2', 'MissingParameterValue', 'baseDiffTime'],
])('the capabilities of WMTS refuse %s by an exception report', async (query, code, locator, status = 400) => {
  const response = await get(query);
  expect(response.status).toBe(status);
  const { Exception } = parser.parse(await response.text()).ExceptionReport;
  expect([Exception['@_exceptionCode'], Exception['@_locator']]).toEqual([code, locator]);
});
