// IIIF Image API 3.0, level 2, at `/iiif/3` (https://iiif.io/api/image/3.0/), over the core of downloadImage.
import { IMAGE_TYPES, type ImageType } from '../../archive/drawing/formats/formats.ts';
import { imageById } from '../../archive/find-image.ts';
import { imageTags } from '../../archive/keys.ts';
import { TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { PictureOfPart } from '../../picture/image-part.ts';
import { LONGEST_SIDE, parseRegion, parseRotation, parseSize, QUALITIES, regionOf, sizeOf } from '../../picture/image-part.ts';
import { addressKey } from '../../picture/picture.ts';
import { choice, notation } from '../../platform/http/parameters.ts';
import { bytesReply, DRAWN, MEDIA_TYPES, redirectReply, SETTLED, textReply } from '../../platform/http/response.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import type { ArchivedImage, Size } from '../../sun/image.ts';
import { imageHeaders } from '../images/image-headers.ts';
import { TYPE_NAMES } from '../pictures/scene-parameters.ts';
import { type Context, elsewhere, idIn, idText, namingHost, resource, serviceOrigin } from '../services.ts';

const CONTEXT = 'http://iiif.io/api/image/3/context.json';
const INFO_TYPE = `application/ld+json;profile="${CONTEXT}"`;
const LEVEL = 'level2';
const LEVEL_FORMATS: readonly string[] = ['jpg', 'png'];
const PROFILE = `<http://iiif.io/api/image/3/${LEVEL}.json>;rel="profile"`;

/** The address of an image as a service of IIIF. */
export const imageService = (id: number, origin: string): string => `${origin}/iiif/3/${idText('image', id)}`;

/** @throws Failure `unknown-id`, because every text can be an identifier */
const imageNamed = (text: string): number =>
  idIn('image', text, () => {
    const sentence = 'No image has this identifier. Identifiers look like image-26.';
    return new Failure('unknown-id', sentence, { parameter: 'identifier' });
  });

const segment = (description: string, example: string) => notation(description, { what: `text like ${example}`, example });
const identifier = { identifier: segment('Image: image- and its id.', 'image-26') };

const find = (id: number, { services, stopwatch }: Context) => imageById({ index: services.index, stopwatch }, id, 'identifier');

/** Powers of two by which an image is reduced: to the one that makes it a tile. */
function reductions({ width, height }: Size): number[] {
  const most = Math.max(0, Math.ceil(Math.log2(Math.max(width, height) / TILE_SIZE)));
  return Array.from({ length: most + 1 }, (_, i) => 2 ** i);
}

/** The facts of an image that viewers need for their requests. */
function infoOf({ id, geometry: { width, height, rotationDegrees } }: ArchivedImage, origin: string): object {
  const factors = reductions({ width, height });
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
    const policy = namingHost(SETTLED, context);
    const headers = { ...imageHeaders(image), Link: PROFILE };
    return textReply(INFO_TYPE, JSON.stringify(infoOf(image, serviceOrigin(context))), {
      policy,
      headers,
      tags: imageTags(image),
    });
  },
});

const base = resource({
  name: 'iiif/base',
  path: /^\/iiif\/3\/(?<identifier>[^/]+)$/,
  parameters: identifier,
  canonical: (values) => ({ id: imageNamed(values.identifier) }),
  handle: async ({ id }, context) => {
    const image = await find(id, context);
    return redirectReply(`${imageService(id, '')}/info.json`, { policy: SETTLED, tags: imageTags(image) }, 303);
  },
});

/** Formats that the standard has and this service does not. */
const OTHER_FORMATS: readonly string[] = ['tif', 'gif', 'pdf', 'jp2'];

/** @throws Failure `bad-parameter`; `not-implemented` for another format of the standard */
function typeNamed(text: string): ImageType {
  const found = IMAGE_TYPES.find((type) => type === text);
  if (found !== undefined) return found;
  const what = TYPE_NAMES;
  if (OTHER_FORMATS.includes(text))
    throw new Failure('not-implemented', `Expected ${what} for format, got ${text}.`, { parameter: 'format' });
  throw badParameter('format', what, text);
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
    region: segment('full, square, x,y,w,h or pct:x,y,w,h.', 'full'),
    size: segment('max, w, or ,h or w,h or !w,h or pct:n, with ^ in front for a size above that of the region.', 'max'),
    rotation: segment('0, 90, 180 or 270, with ! in front for a mirrored picture.', '0'),
    quality: choice('Colours.', QUALITIES),
    format: segment(`${TYPE_NAMES}.`, 'jpg'),
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
const nothing = elsewhere({
  name: 'iiif/elsewhere',
  path: /^\/iiif\/3\/(?<identifier>[^/]+)\/.+$/,
  parameters: identifier,
  refusal: (values) => {
    imageNamed(values.identifier);
    return new Failure(
      'bad-parameter',
      'Only info.json and region/size/rotation/quality.format are served behind an identifier.',
    );
  },
});

export const iiifImageResources = [info, picture, base, nothing] as const;
