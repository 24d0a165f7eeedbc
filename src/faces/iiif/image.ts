// IIIF at `/iiif/3`: Image API 3.0, level 2 (https://iiif.io/api/image/3.0/), over the core of downloadImage, and manifests of the Presentation API.
import { IMAGE_TYPES, type ImageType } from '../../archive/drawing/formats/formats.ts';
import { imageById, imagesAt } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { imageTags } from '../../archive/keys.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { PictureOfPart } from '../../picture/image-part.ts';
import { LONGEST_SIDE, parseRegion, parseRotation, parseSize, QUALITIES, regionOf, sizeOf } from '../../picture/image-part.ts';
import { addressKey } from '../../picture/picture.ts';
import { addressText, choice, date } from '../../platform/http/parameters.ts';
import { bytesReply, DRAWN, MEDIA_TYPES, RECENT, redirectReply, SETTLED } from '../../platform/http/response.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage, Size } from '../../sun/image.ts';
import { dayStart, formatDateTime, formatIso, isoDay } from '../../sun/time.ts';
import { imageHeaders } from '../images/image-headers.ts';
import { singleSource, sourceId } from '../images/source-parameters.ts';
import { TYPE_NAMES } from '../pictures/scene-parameters.ts';
import { type Context, documentReply, idIn, idText, resource, serviceOrigin } from '../services.ts';

const CONTEXT = 'http://iiif.io/api/image/3/context.json';
const INFO_TYPE = `application/ld+json;profile="${CONTEXT}"`;
const LEVEL = 'level2';
const LEVEL_FORMATS: readonly string[] = ['jpg', 'png'];
const PROFILE = `<http://iiif.io/api/image/3/${LEVEL}.json>;rel="profile"`;

/** The address of an image as a service of IIIF. */
const imageService = (id: number, origin: string): string => `${origin}/iiif/3/${idText('image', id)}`;

/** @throws Failure `unknown-id`, because every text can be an identifier */
const imageNamed = (text: string): number =>
  idIn('image', text, () => {
    const sentence = 'No image has this identifier. Identifiers look like image-26.';
    return new Failure('unknown-id', sentence, { parameter: 'identifier' });
  });

const identifier = { identifier: addressText('text like image-26') };

const find = (id: number, { services, stopwatch }: Context) => imageById({ index: services.index, stopwatch }, id, 'identifier');

/** The facts of an image that viewers need for their requests. */
function infoOf({ id, geometry: { width, height, rotationDegrees } }: ArchivedImage, origin: string): object {
  // Halvings, until the image is a tile.
  const reductions = Math.max(0, Math.ceil(Math.log2(Math.max(width, height) / TILE_SIZE)));
  const factors = Array.from({ length: reductions + 1 }, (_, i) => 2 ** i);
  const sizes = factors
    .map((factor) => sizeOf({ mayGrow: false, kind: 'percent', percent: 100 / factor }, { width, height }))
    .filter((size) => Math.max(size.width, size.height) <= LONGEST_SIDE);
  return {
    '@context': CONTEXT,
    id: imageService(id, origin),
    type: 'ImageService3',
    protocol: 'http://iiif.io/api/image',
    profile: LEVEL,
    width,
    height,
    maxWidth: LONGEST_SIDE,
    maxHeight: LONGEST_SIDE,
    sizes: sizes.reverse(),
    tiles: [{ width: TILE_SIZE, height: TILE_SIZE, scaleFactors: factors }],
    extraFormats: IMAGE_TYPES.filter((type) => !LEVEL_FORMATS.includes(type)),
    extraQualities: QUALITIES.slice(1),
    extraFeatures: ['canonicalLinkHeader', 'mirroring', 'profileLinkHeader', 'sizeUpscaling'],
    // CROTA in degrees, which is not applied: the service of the header has all of the coordinates.
    service: [{ id: `${origin}/v2/getImageHeader/?id=${id}`, type: 'ImageHeader', rotation: rotationDegrees }],
  };
}

const info = resource({
  name: 'iiif/info',
  path: /^\/iiif\/3\/(?<identifier>[^/]+)\/info\.json$/,
  parameters: identifier,
  canonical: (values) => ({ id: imageNamed(values.identifier) }),
  key: (canonical) => canonical,
  handle: async ({ id }, context) => {
    const image = await find(id, context);
    const facts = { policy: SETTLED, headers: { ...imageHeaders(image), Link: PROFILE }, tags: imageTags(image) };
    return documentReply(INFO_TYPE, infoOf(image, serviceOrigin(context)), facts, context);
  },
});

const base = resource({
  name: 'iiif/base',
  path: /^\/iiif\/3\/(?<identifier>[^/]+)$/,
  parameters: identifier,
  canonical: (values) => ({ id: imageNamed(values.identifier) }),
  handle: async ({ id }, context) => {
    await find(id, context);
    return redirectReply(`${imageService(id, '')}/info.json`, { policy: SETTLED }, 303);
  },
});

/** Formats that the standard has and this service does not. */
const OTHER_FORMATS: readonly string[] = ['tif', 'gif', 'pdf', 'jp2'];

/** @throws Failure `bad-parameter`; `not-implemented` for another format of the standard */
function typeNamed(text: string): ImageType {
  const found = IMAGE_TYPES.find((type) => type === text);
  if (found !== undefined) return found;
  const failure = badParameter('format', TYPE_NAMES, text);
  throw OTHER_FORMATS.includes(text) ? new Failure('not-implemented', failure.message, { parameter: 'format' }) : failure;
}

/** The path of the canonical address of a picture (section 4.7), which names no host, so that all hosts share what the edge cache has. */
function canonicalPath(image: ArchivedImage, { region, size, orientation, quality }: PictureOfPart, type: ImageType): string {
  const { width, height } = image.geometry;
  const isFull = region.width === width && region.height === height;
  const isMost = (mayGrow: boolean) => {
    const most = sizeOf({ mayGrow, kind: 'max' }, region);
    return size.width === most.width && size.height === most.height;
  };
  const grows = size.width > region.width || size.height > region.height ? '^' : '';
  const { isMirrored, quarterTurns } = orientation;
  return [
    imageService(image.id, ''),
    isFull ? 'full' : [region.left, region.top, region.width, region.height].join(),
    isMost(false) ? 'max' : `${grows}${isMost(true) ? 'max' : `${size.width},${size.height}`}`,
    `${isMirrored ? '!' : ''}${90 * quarterTurns}`,
    `${quality === 'color' ? 'default' : quality}.${type}`,
  ].join('/');
}

const picture = resource({
  name: 'iiif/image',
  path: /^\/iiif\/3\/(?<identifier>[^/]+)\/(?<region>[^/]+)\/(?<size>[^/]+)\/(?<rotation>[^/]+)\/(?<quality>[^/.]+)\.(?<format>[^/]+)$/,
  parameters: {
    ...identifier,
    /** full, square, x,y,w,h or pct:x,y,w,h. */
    region: addressText('text like full'),
    /** max, w, or ,h or w,h or !w,h or pct:n, with ^ in front for a size above that of the region. */
    size: addressText('text like max'),
    /** 0, 90, 180 or 270, with ! in front for a mirrored picture. */
    rotation: addressText('text like 0'),
    quality: choice('Colours.', QUALITIES),
    format: addressText('text like jpg'),
  },
  canonical: (values) => ({
    id: imageNamed(values.identifier),
    region: parseRegion(values.region),
    size: parseSize(values.size),
    orientation: parseRotation(values.rotation),
    quality: values.quality,
    type: typeNamed(values.format),
  }),
  key: addressKey,
  handle: async ({ id, region: wanted, size: wantedSize, orientation, quality, type }, context) => {
    const image = await find(id, context);
    const region = regionOf(wanted, image.geometry);
    const part = { region, size: sizeOf(wantedSize, region), orientation, quality };
    const bytes = await context.services.imageDownloads.cut(image, part, type, context);
    const canonical = canonicalPath(image, part, type);
    const headers = { ...imageHeaders(image), Link: `<${canonical}>;rel="canonical", ${PROFILE}` };
    return bytesReply(MEDIA_TYPES[type], bytes, { ...DRAWN, headers, tags: imageTags(image) });
  },
});

/** Another address of an image, or of none. */
const nothing = resource({
  name: 'iiif/elsewhere',
  path: /^\/iiif\/3\/(?<identifier>[^/]+)\/.+$/,
  parameters: identifier,
  canonical: (values) => imageNamed(values.identifier),
  handle: () => {
    const sentence = 'Only info.json and region/size/rotation/quality.format are served behind an identifier.';
    return Promise.reject(new Failure('bad-parameter', sentence));
  },
});

export const iiifImageResources = [info, picture, base, nothing] as const;

export const IIIF = {
  /** Canvases of a manifest, 0.25 MB. A day with more images has the nearest ones to as many times, a quarter of an hour apart. */
  canvases: 96,
} as const;

const MANIFEST_CONTEXT = 'http://iiif.io/api/presentation/3/context.json';
const MANIFEST_TYPE = `application/ld+json;profile="${MANIFEST_CONTEXT}"`;

/** Pixels of the longer side of a thumbnail. */
const PREVIEW = 200;

const english = (text: string) => ({ en: [text] });

/** The images of a day; of many, those nearest to times at equal distances. */
async function imagesOfDay(index: ImageIndex, source: number, startMs: number): Promise<ArchivedImage[]> {
  const endMs = startMs + DAY_MS - 0.001;
  const all = await index.inRange(source, startMs, endMs, IIIF.canvases + 1);
  if (all.length <= IIIF.canvases) return all;
  const times = Array.from({ length: IIIF.canvases }, (_, i) => startMs + ((i + 0.5) * DAY_MS) / IIIF.canvases);
  const nearest = (await imagesAt(index, source, times)).flatMap((image) => image ?? []);
  const ofDay = nearest.filter(({ takenAtMs }) => takenAtMs >= startMs && takenAtMs <= endMs);
  return [...new Map(ofDay.map((image) => [image.id, image])).values()];
}

function canvasOf(image: ArchivedImage, manifest: string, origin: string): object {
  const { id, takenAtMs, geometry } = image;
  const service = { id: imageService(id, origin), type: 'ImageService3', profile: 'level2' };
  const pictureOf = (size: string, shown: Size) => ({
    id: `${service.id}/full/${size}/0/default.jpg`,
    type: 'Image',
    format: MEDIA_TYPES.jpg,
    width: shown.width,
    height: shown.height,
    service: [service],
  });
  const canvas = `${manifest}/canvas/${id}`;
  const preview = sizeOf({ mayGrow: false, kind: 'within', width: PREVIEW, height: PREVIEW }, geometry);
  const painting = {
    id: `${canvas}/image`,
    type: 'Annotation',
    motivation: 'painting',
    target: canvas,
    body: pictureOf('max', sizeOf({ mayGrow: false, kind: 'max' }, geometry)),
  };
  return {
    id: canvas,
    type: 'Canvas',
    label: english(`${formatDateTime(takenAtMs)} UTC`),
    navDate: formatIso(takenAtMs),
    width: geometry.width,
    height: geometry.height,
    thumbnail: [pictureOf(`${preview.width},${preview.height}`, preview)],
    seeAlso: [{ id: `${origin}/v2/getJP2Header/?id=${id}`, type: 'Dataset', format: 'text/xml', label: english('FITS header') }],
    items: [{ id: `${canvas}/page`, type: 'AnnotationPage', items: [painting] }],
  };
}

export const dayManifest = resource({
  name: 'iiif/manifest',
  path: /^\/iiif\/manifests\/(?<sourceId>[^/]+)\/(?<date>[^/]+)\.json$/,
  parameters: { sourceId: sourceId(), date: date('A UTC day.') },
  canonical: ({ sourceId: id, date: atMs }) => ({ sourceId: singleSource(id), startMs: dayStart(atMs) }),
  key: (canonical) => canonical,
  handle: async ({ sourceId: source, startMs }, context) => {
    const { services, stopwatch } = context;
    const images = await stopwatch.measure('index', () => imagesOfDay(services.index, source, startMs));
    const day = isoDay(startMs);
    const name = findSource(source)?.nickname ?? `source ${source}`;
    if (images.length === 0) throw new Failure('no-image', `There is no image of ${name} of ${day}.`, { parameter: 'date' });
    const origin = serviceOrigin(context);
    const id = `${origin}/iiif/manifests/${source}/${day}.json`;
    const manifest = {
      '@context': MANIFEST_CONTEXT,
      id,
      type: 'Manifest',
      label: english(`${name}, ${day}`),
      behavior: ['individuals'],
      items: images.map((image) => canvasOf(image, id.replace(/\.json$/, ''), origin)),
    };
    return documentReply(MANIFEST_TYPE, manifest, { policy: RECENT, tags: images.flatMap(imageTags) }, context);
  },
});
