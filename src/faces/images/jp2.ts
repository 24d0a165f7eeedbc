// getJP2Image and getJP2Header.
import { imageById, imageByPath, imagePath, nearestImage } from '../../archive/find-image.ts';
import { jp2HeaderDocument } from '../../archive/jp2-header.ts';
import { imageTags } from '../../archive/keys.ts';
import { type CachePolicy, IMMUTABLE, PRIVATE_COPY } from '../../platform/http/cache-policy.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { boolean, date, integer } from '../../platform/http/parameters.ts';
import { jsonReply, namedFile, type StreamRepresentation, TEXT_TYPE, textReply, XML_TYPE } from '../../platform/http/response.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { jpipAddress } from '../jpip/jpip.ts';
import { type Context, operation } from '../services.ts';
import { imageFacts, imageHeaders, nearestFacts } from './image-headers.ts';
import { jpipAddress as jpipAddressSchema } from './image-schemas.ts';
import { NO_IMAGE, namedSource, resolveSource, sourceId } from './source-parameters.ts';
import { storedFile } from './stored-file.ts';

/** For operations that name an image by its id. */
export const UNKNOWN_IMAGE = { 404: 'No image has this id.' } as const;
export const GONE = { 410: 'The image has been withdrawn or replaced; replacedBy is the id of the new one, or null.' } as const;

export const imageId = () => integer('Image id, as in getClosestImage.', { min: 1, max: Number.MAX_SAFE_INTEGER });

export interface SelectedImage {
  readonly image: ArchivedImage;
  /** Absent for an image requested by its id. */
  readonly distanceSeconds?: number;
  readonly policy: CachePolicy;
  /** Unset: those of the image. */
  readonly tags?: readonly string[];
}

type SelectionValues = Parameters<typeof resolveSource>[0] & {
  readonly id?: number | undefined;
  readonly date?: number | undefined;
};

type Selection = { readonly id: number } | { readonly sourceId: number; readonly atMs: number };

/** The image that parameters name: by `id`, or by `sourceId` and `date`. @throws Failure `missing-parameter` */
export function selectionOf({ id, date: atMs, ...source }: SelectionValues): Selection {
  if (id !== undefined) return { id };
  if (atMs === undefined) throw badParameter('date', 'a UTC date', undefined);
  return { sourceId: resolveSource(source), atMs };
}

/** The image of an id, or the nearest one to a time, with its cache policy. @param parameter Names both. Unset: `id` and `sourceId` */
export async function selectImage(
  selection: Selection,
  { services, stopwatch }: Context,
  parameter?: 'tileset',
): Promise<SelectedImage> {
  const ports = { index: services.index, stopwatch };
  if ('id' in selection) return { image: await imageById(ports, selection.id, parameter), policy: IMMUTABLE };
  const nearest = await nearestImage(ports, selection, services.clock(), parameter);
  return { ...nearest, ...nearestFacts(nearest, selection.atMs, services) };
}

export async function archivedFile(path: string, context: Context): Promise<StreamRepresentation> {
  const image = await imageByPath(context.services.index, path);
  if (image) return jp2File({ image, policy: IMMUTABLE }, context);
  throw new Failure('unknown-path', 'No archived image has this path.');
}

function jp2File(
  { image, distanceSeconds, policy, tags = imageTags(image) }: SelectedImage,
  context: Context,
): StreamRepresentation {
  const etag = `"${image.sha256.slice(0, 32)}"`;
  const file = { key: image.key, contentType: 'image/jp2', etag, length: image.byteLength };
  const headers = { ...imageHeaders(image, distanceSeconds), ...namedFile('attachment', image.fileName) };
  // No Last-Modified for a nearest image: a later response may be an older image, so only the ETag distinguishes them.
  const dated = distanceSeconds === undefined ? { lastModifiedMs: image.takenAtMs } : {};
  return storedFile(file, { headers, policy, tags, ...dated }, context);
}

const forms = {
  jpip: boolean('Returns the JPIP address instead of the file.').default(false),
  json: boolean('Returns the JPIP address as JSON; has no effect without jpip.').default(false),
};
/** Parameters that name an image, as `selectionOf` reads them. */
export const imageSelection = {
  id: imageId().optional(),
  date: date('Selects the image nearest to this time. Not needed with id.').optional(),
};

const getJP2Image = operation({
  name: 'getJP2Image',
  summary: 'The JPEG 2000 file of the image nearest to a time, or of an image by its id.',
  description:
    'The file as the archive has it, with its header. Ranges are served. With `jpip` the response is the address at which a JPIP ' +
    'client reads the parts of the file that it shows.',
  tag: 'Images',
  responses: {
    'image/jp2': 'The file.',
    'text/plain': 'With jpip: its JPIP address.',
    'application/json': jsonBody('With `jpip` and `json`: its JPIP address.', jpipAddressSchema),
  },
  headers: ['Content-Disposition', 'Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...NO_IMAGE, ...GONE },
  parameters: { ...imageSelection, sourceId: sourceId().optional(), ...forms },
  parametersInV1: { ...imageSelection, ...namedSource, ...forms },
  edge: 'given',
  canonical: ({ jpip, json, ...values }) => ({ selection: selectionOf(values), jpip, json }),
  handle: async ({ selection, jpip, json }, context) => {
    const selected = await selectImage(selection, context);
    if (!jpip) return jp2File(selected, context);
    const uri = jpipAddress(`/${imagePath(selected.image)}`, context);
    const facts = { policy: PRIVATE_COPY, headers: imageHeaders(selected.image, selected.distanceSeconds) };
    return json ? jsonReply<JsonBody<typeof jpipAddressSchema>>({ uri }, facts) : textReply(TEXT_TYPE, uri, facts);
  },
});

const getJP2Header = operation({
  name: 'getJP2Header',
  summary: 'The XML header of an image.',
  description:
    'The FITS keywords of the observation in `fits`, and those of the archive in `helioviewer`. Values may be the text `nan`. With `callback` the header is one string.',
  tag: 'Images',
  responses: { 'text/xml': 'The header: a meta element that contains fits and helioviewer.' },
  headers: ['Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE },
  parameters: { id: imageId() },
  jsonp: true,
  edge: 'shared',
  handle: async ({ id }, { services, stopwatch }) => {
    const image = await imageById({ index: services.index, stopwatch }, id);
    const document = await jp2HeaderDocument({ objects: services.objects, stopwatch }, image);
    return textReply(XML_TYPE, document, imageFacts(image));
  },
});

export const archivedFiles = [getJP2Image, getJP2Header];
