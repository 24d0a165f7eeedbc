// Viewers of others in a page of 512x512 pixels, each with one call that shows a map and waits for all of it.
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/served-archive.ts';
import { type LocalServer, localServer } from '../support/system/local-server.ts';
import { PACKAGES } from './packages.ts';

/** Pixels of a side. */
export const SIDE_PX = 512;

const PAGE = `<!doctype html><meta charset="utf-8"><title>viewer</title>
<style>html, body { margin: 0; background: #000 } #map { width: ${SIDE_PX}px; height: ${SIDE_PX}px; background: #000 }</style>
<div id="map"></div>`;
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css' };

/** A map of tiles. Arcseconds as the observer saw them, x to the west, y to the north. */
export interface TileMap {
  /** Address of the TileJSON. */
  readonly description: string;
  /** Address of the tiles with {z}, {x} and {y}. */
  readonly template: string;
  /** Address of the capabilities of WMTS. */
  readonly capabilities: string;
  /** Zoom of the tiles, which are shown as they are. */
  readonly zoom: number;
  /** Arcseconds of a pixel at this zoom. */
  readonly resolution: number;
  /** The middle of the map. */
  readonly centre: readonly [x: number, y: number];
  /** Distance of the edges of the square of all tiles from the centre of the Sun. */
  readonly edge: number;
}

const OPENLAYERS = `
  const extent = [-sun.edge, -sun.edge, sun.edge, sun.edge];
  const projectionOf = (code) => {
    const projection = new ol.proj.Projection({ code, units: 'm', extent });
    ol.proj.addProjection(projection);
    return projection;
  };
  const shown = (source, { projection, center = sun.centre, resolution = sun.resolution }) => {
    const layers = [new ol.layer.Tile({ source })];
    const map = new ol.Map({ target: 'map', controls: [], layers, view: new ol.View({ projection, center, resolution }) });
    return new Promise((resolve) => map.once('rendercomplete', resolve));
  };
  const wmts = async (matrixSet) => {
    const read = new ol.format.WMTSCapabilities().read(await (await fetch(sun.capabilities)).text());
    const crs = read.Contents.TileMatrixSet.find(({ Identifier }) => Identifier === matrixSet).SupportedCRS;
    if (!ol.proj.get(crs)) projectionOf(crs);
    const layer = read.Contents.Layer[0].Identifier;
    return { crs, source: new ol.source.WMTS(ol.source.WMTS.optionsFromCapabilities(read, { layer, matrixSet, crossOrigin: 'anonymous' })) };
  };
  /** Metres of Web Mercator for an arcsecond. */
  const metres = 20037508.342789244 / sun.edge;
`;

export const OPENSEADRAGON = 'openseadragon/build/openseadragon/openseadragon.min.js';

/** The JavaScript of docs/tools.md, for OpenLayers. */
const [, EXAMPLE = ''] = /```js\n(.*?)```/s.exec(await readFile(join(import.meta.dirname, '../../docs/tools.md'), 'utf8')) ?? [];
const EXAMPLE_ADDRESS = "'http://127.0.0.1:8787/tiles/10.json'";
if (!EXAMPLE.includes(EXAMPLE_ADDRESS))
  throw new Error(`The first JavaScript of docs/tools.md does not fetch ${EXAMPLE_ADDRESS}.`);

/** Ways of showing the tiles: what the page loads, and the call, in which \`sun\` is the map. */
const MAPS = {
  'OpenLayers by the TileJSON': {
    script: 'ol/dist/ol.js',
    call: `${OPENLAYERS}
      const { tiles, helioprojective } = await (await fetch(sun.description)).json();
      const projection = projectionOf('helioprojective');
      await shown(new ol.source.XYZ({ projection, url: tiles[0], tileSize: helioprojective.tileSize, maxZoom: 15 }), { projection });`,
  },
  'OpenLayers by the example of tools.md': {
    script: 'ol/dist/ol.js',
    call: `
      const { Feature, Map, View, geom: { Circle }, proj: { Projection }, source: { XYZ } } = ol;
      const wanted = sun;
      {
        ${EXAMPLE.replace(EXAMPLE_ADDRESS, 'wanted.description')}
        view.setCenter(wanted.centre);
        view.setResolution(wanted.resolution);
        if (limb.getGeometry().getRadius() !== sun.limb.radius) throw new Error('The limb is no circle of its radius.');
        const map = new Map({ target: 'map', controls: [], layers: [new ol.layer.Tile({ source })], view });
        await new Promise((resolve) => map.once('rendercomplete', resolve));
      }`,
  },
  'OpenLayers by WMTS in arcseconds': {
    script: 'ol/dist/ol.js',
    call: `${OPENLAYERS}
      const { crs, source } = await wmts('helioprojective');
      await shown(source, { projection: crs });`,
  },
  'OpenLayers by WMTS in Web Mercator': {
    script: 'ol/dist/ol.js',
    call: `${OPENLAYERS}
      const { crs, source } = await wmts('WebMercator');
      await shown(source, { projection: crs, center: sun.centre.map((at) => at * metres), resolution: sun.resolution * metres });`,
  },
  'Leaflet by the plain template': {
    script: 'leaflet/dist/leaflet.js',
    style: 'leaflet/dist/leaflet.css',
    call: `
      const map = L.map('map', { zoomControl: false, attributionControl: false, fadeAnimation: false, zoomAnimation: false });
      const [x, y] = sun.centre.map((at) => (at / sun.edge) * 20037508.342789244);
      // Its tiles have 256 pixels unless told, so that one of 512 is that of the zoom before.
      map.setView(L.CRS.EPSG3857.unproject(L.point(x, y)), sun.zoom + 1);
      const layer = L.tileLayer(sun.template, { tileSize: 512, zoomOffset: -1, noWrap: true });
      await new Promise((resolve) => layer.once('load', resolve).addTo(map));`,
  },
  'OpenSeadragon by the plain template': {
    script: OPENSEADRAGON,
    call: `
      // The square of all tiles, of which the level and the zoom are the same.
      const maxLevel = 11;
      const side = 512 * 2 ** maxLevel;
      const getTileUrl = (z, x, y) => sun.template.replace('{z}', z).replace('{x}', x).replace('{y}', y);
      const tileSources = [{ width: side, height: side, tileSize: 512, minLevel: 0, maxLevel, getTileUrl }];
      const still = { showNavigationControl: false, immediateRender: true, animationTime: 0, blendTime: 0 };
      const viewer = OpenSeadragon({ id: 'map', tileSources, crossOriginPolicy: 'Anonymous', ...still });
      await new Promise((resolve) => viewer.addOnceHandler('open', resolve));
      const image = viewer.world.getItemAt(0);
      const pixels = 512 * 2 ** (maxLevel - sun.zoom);
      const [x, y] = [sun.edge + sun.centre[0], sun.edge - sun.centre[1]].map((at) => (at / (2 * sun.edge)) * side - pixels / 2);
      viewer.viewport.fitBounds(image.imageToViewportRectangle(x, y, pixels, pixels), true);
      viewer.forceRedraw();
      await new Promise((resolve) => viewer.addOnceHandler('update-viewport', resolve));
      if (!image.getFullyLoaded())
        await new Promise((resolve) => image.addHandler('fully-loaded-change', ({ fullyLoaded }) => fullyLoaded && resolve()));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));`,
  },
  'MapLibre by the TileJSON': {
    style: 'maplibre-gl/dist/maplibre-gl.css',
    call: `
      const { Map } = await import('/packages/maplibre-gl/dist/maplibre-gl.mjs');
      const [lng, north] = sun.centre.map((at) => (at / sun.edge) * Math.PI);
      const center = [(lng * 180) / Math.PI, (Math.atan(Math.sinh(north)) * 180) / Math.PI];
      const sources = { sun: { type: 'raster', url: sun.description } };
      const layers = [{ id: 'sun', type: 'raster', source: 'sun', paint: { 'raster-fade-duration': 0 } }];
      const style = { version: 8, sources, layers };
      const map = new Map({ container: 'map', style, center, zoom: sun.zoom, attributionControl: false, fadeDuration: 0 });
      await new Promise((resolve, reject) => map.once('idle', resolve).on('error', ({ error }) => reject(error)));`,
  },
} satisfies Readonly<Record<string, { script?: string; style?: string; call: string }>>;

export type MapName = keyof typeof MAPS;
export const MAP_NAMES = Object.keys(MAPS) as MapName[];

export interface Viewers {
  readonly browser: Browser;
  /** A new page with scripts and styles of packages. */
  open(files: { readonly script?: string; readonly style?: string }): Promise<Page>;
  /** A map as PNG. */
  draw(name: MapName, sun: TileMap): Promise<Buffer>;
  close(): Promise<void>;
}

async function packageFile(path: string): Promise<Buffer | string> {
  return path.startsWith('/packages/') ? readFile(join(PACKAGES, path.slice('/packages/'.length))) : PAGE;
}

/** Serves the pages of the viewers to Chromium from a place of their own, as those of another site. */
export async function serveViewers(): Promise<Viewers> {
  const browser = await launchChromium();
  const server: LocalServer = await localServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname;
    packageFile(path).then(
      (body) => response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/html' }).end(body),
      () => response.writeHead(404).end(),
    );
  });

  async function open({ script, style }: { readonly script?: string; readonly style?: string }): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: SIDE_PX, height: SIDE_PX } });
    await page.goto(server.url);
    if (style) await page.addStyleTag({ url: `/packages/${style}` });
    if (script) await page.addScriptTag({ url: `/packages/${script}` });
    return page;
  }

  async function draw(name: MapName, sun: TileMap): Promise<Buffer> {
    const { call, ...files } = MAPS[name];
    const page = await open(files);
    try {
      await page.evaluate(`(async () => { const sun = ${JSON.stringify(sun)}; ${call} })()`);
      return await page.screenshot();
    } finally {
      await page.close();
    }
  }

  async function close(): Promise<void> {
    await browser.close();
    await server.close();
  }

  return { browser, open, draw, close };
}
