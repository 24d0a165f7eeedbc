// Files of the archive, their headers and their folders: getJP2Image, getJP2Header, getImageHeader and the pages of folders.

import { z } from '@hono/zod-openapi';
import { archiveFolder } from '../../archive/archive-folders.ts';
import { imageById, imageByPath, nearestImage } from '../../archive/find-image.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import { archivePath, imageTags, timelineTag } from '../../archive/keys.ts';
import { asDamaged } from '../../jp2/errors.ts';
import { headerDocument } from '../../jp2/xml-header.ts';
import { pageReply } from '../../platform/http/html.ts';
import { boolean, date, integer, jsonBody, named, number, object, text, type Values } from '../../platform/http/parameters.ts';
import {
  IMMUTABLE,
  jsonReply,
  namedFile,
  PRIVATE_COPY,
  RECENT,
  type Representation,
  type RepresentationFacts,
  redirectReply,
  type StreamRepresentation,
  TEXT_TYPE,
  textReply,
  XML_TYPE,
} from '../../platform/http/response.ts';
import { badParameter, Failure, missingFile } from '../../platform/util/errors.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { formatDateTime, formatExact } from '../../sun/time.ts';
import { typedValues, wcsNotes, wcsOf } from '../../sun/wcs.ts';
import { jpipAddress } from '../jpip/jpip.ts';
import { fileWarning } from '../jpx/source-stream.ts';
import { type Context, operation, policyUntil } from '../services.ts';
import { imageFacts, imageHeaders, nearestFacts } from './image-headers.ts';
import { NO_IMAGE, namedSource, resolveSource, sourceId } from './source-parameters.ts';

/** getJP2Image with jpip and json. */
const jpipUri = () => named('JpipAddress', null, { uri: text('`jpip://` or `jpips://` address of the image.') });

const values = () => z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
/** Two equal items, because tuples have no `items`, which tools for the document expect of every list. */
const pair = <T extends z.ZodType>(item: T) => z.array(item).length(2);

const wcs = () =>
  named('WorldCoordinates', 'World coordinates of an image, as in a map of SunPy.', {
    naxis: pair(z.number()).describe('Pixels along the axes.'),
    ctype: pair(z.string()),
    cunit: pair(z.string()),
    crpix: pair(z.number()).describe('Reference pixel; the centre of the first one is 1, 1.'),
    cdelt: pair(z.number()),
    crval: pair(z.number()),
    pc: pair(pair(z.number())).describe('Rows of the matrix that multiplies pixel offsets before cdelt.'),
    pv: z.array(z.number()).optional().describe('PV2_0, PV2_1 and so on, where the header has them.'),
    lonpole: z.number(),
    latpole: z.number(),
    dateObs: text('Time of the observation, with the time of day; UTC.').nullable(),
    observer: object('Null where the header has none, or an impossible distance: the Earth.', {
      frame: z.enum(['heliographic_stonyhurst', 'heliographic_carrington']),
      longitude: number('Degrees.'),
      latitude: number('Degrees.'),
      distance: number('Metres from the centre of the Sun.'),
    }).nullable(),
    rsunRef: number('Metres of the solar radius.'),
  });

const imageHeader = () =>
  named('ImageHeader', null, {
    id: z.int().min(1),
    date: text('Observation time, ISO 8601 with Z.'),
    fits: values().describe('Keywords of the observation.'),
    helioviewer: values().describe('Keywords of the archive.'),
    wcs: wcs().nullable(),
    notes: z.array(z.string()).describe('Sentences about values of the header that `wcs` does not take.'),
    warning: text('What the file lacks although it can be shown; null where it lacks nothing.').nullable(),
  });

interface StoredFile {
  readonly key: string;
  readonly contentType: string;
  /** Strong, quoted. */
  readonly etag: string;
  readonly length: number;
}

/** A file whose key names its content, unless the object has another length than its row says. */
export const storedFile = (
  stored: StoredFile,
  { headers = {}, lastModifiedMs, ...facts }: Omit<RepresentationFacts, 'status'>,
  { services, stopwatch }: Context,
): StreamRepresentation => ({
  ...{ ...facts, ...stored, headers, lastModifiedMs },
  async open(range) {
    const { key, length } = stored;
    const object = await stopwatch.measure('read', () => services.objects.stream(key, range).catch(asDamaged));
    if (!object) throw missingFile(key);
    if (object.size === length) return object.body;
    await object.body.cancel();
    return asDamaged(new RangeError(`The object has ${object.size} bytes, not the ${length} of its row.`));
  },
});

/** For operations that name an image by its id. */
export const UNKNOWN_IMAGE = { 404: 'No image has this id.' } as const;
export const GONE = { 410: 'The image has been withdrawn or replaced; replacedBy is the id of the new one, or null.' } as const;

export const imageId = () => integer('Image id, as in getClosestImage.', { min: 1, max: Number.MAX_SAFE_INTEGER });

type SelectionValues = Values<typeof imageSelection & typeof namedSource>;

/** The image of an id, or of a source the one nearest to a time, or its newest one. */
export type Selection = { readonly id: number } | { readonly sourceId: number; readonly atMs: number | undefined };

/** The image that parameters name: by `id`, or by `sourceId` and `date`. @throws Failure `missing-parameter` */
export function selectionOf({ id, date: atMs, ...source }: SelectionValues): Selection {
  if (id !== undefined) return { id };
  if (atMs === undefined) throw badParameter('date', 'a UTC date', undefined);
  return { sourceId: resolveSource(source), atMs };
}

const selectedById = (image: ArchivedImage) => ({ image, distanceSeconds: undefined, policy: IMMUTABLE, tags: imageTags(image) });

/** A selected image with its cache policy: a delivery may change the newest one. @param parameter Names its id and source. Unset: `id` and `sourceId` */
export async function selectImage(selection: Selection, { services, stopwatch }: Context, parameter?: 'tileset') {
  const ports = { index: services.index, stopwatch };
  if ('id' in selection) return selectedById(await imageById(ports, selection.id, parameter));
  const nowMs = services.clock();
  const { sourceId, atMs = nowMs } = selection;
  const nearest = await nearestImage(ports, { sourceId, atMs }, nowMs, parameter);
  return { ...nearest, ...nearestFacts(nearest, atMs, services) };
}

/** `distanceSeconds`: undefined for an image that was requested by its id. */
export type SelectedImage = Awaited<ReturnType<typeof selectImage>>;

export async function archivedFile(path: string, context: Context): Promise<StreamRepresentation> {
  const image = await imageByPath(context.services.index, path);
  if (image) return jp2File(selectedById(image), context);
  throw new Failure('unknown-path', 'No archived image has this path.');
}

function jp2File({ image, distanceSeconds, policy, tags }: SelectedImage, context: Context) {
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
  sourceId: sourceId().optional(),
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
    'application/json': jsonBody('With `jpip` and `json`: its JPIP address.', jpipUri),
  },
  headers: ['Content-Disposition', 'Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...NO_IMAGE, ...GONE },
  parameters: { ...imageSelection, ...forms },
  parametersInV1: { ...imageSelection, ...namedSource, ...forms },
  edge: 'given',
  canonical: ({ jpip, json, ...values }) => ({ selection: selectionOf(values), jpip, json }),
  handle: async ({ selection, jpip, json }, context) => {
    const selected = await selectImage(selection, context);
    if (!jpip) return jp2File(selected, context);
    const uri = jpipAddress(`/${archivePath(selected.image.key)}`, context);
    const facts = { policy: PRIVATE_COPY, headers: imageHeaders(selected.image, selected.distanceSeconds) };
    return json ? jsonReply<typeof jpipUri>({ uri }, facts) : textReply(TEXT_TYPE, uri, facts);
  },
});

const ofHeader = {
  tag: 'Images',
  headers: ['Last-Modified', 'X-Image-Date', 'X-Image-Distance'],
  otherResponses: { ...UNKNOWN_IMAGE, ...GONE },
  parameters: { id: imageId() },
  jsonp: true,
  edge: 'shared',
} as const;

const getJP2Header = operation({
  ...ofHeader,
  name: 'getJP2Header',
  summary: 'The XML header of an image.',
  description:
    'The FITS keywords of the observation in `fits`, and those of the archive in `helioviewer`. Values may be the text `nan`. With `callback` the header is one string.',
  responses: { 'text/xml': 'The header: a meta element that contains fits and helioviewer.' },
  handle: async ({ id }, { services, stopwatch }) => {
    const image = await imageById({ index: services.index, stopwatch }, id);
    const document = headerDocument(await jp2Header({ objects: services.objects, stopwatch }, image));
    return textReply(XML_TYPE, document, imageFacts(image));
  },
});

const getImageHeader = operation({
  ...ofHeader,
  name: 'getImageHeader',
  summary: 'The FITS header of an image as JSON, with its world coordinate system.',
  description:
    'Keywords are in upper case; numbers are numbers, and `nan` is null. `wcs` is what a map of SunPy has for the header: defaults ' +
    'of the FITS standard are filled in, and the rotation is a matrix, whichever of PCi_j, CDi_j and CROTA2 the header has, and the ' +
    'identity for LASCO, EIT and MDI, whose images are turned to the north although the headers keep the roll. It is ' +
    'null for a header without a scale, or with a matrix and a CROTA that contradict each other. `notes` has sentences about values that it does not take, `warning` one about what the file lacks. Rows of a FITS image count from below.',
  responses: { 'application/json': jsonBody('The header.', imageHeader) },
  parametersInV1: null,
  handle: async ({ id }, { services, stopwatch }) => {
    const image = await imageById({ index: services.index, stopwatch }, id);
    const [{ fits, helioviewer }, warning] = await Promise.all([
      jp2Header({ objects: services.objects, stopwatch }, image),
      fileWarning(services.objects, image),
    ]);
    const reply = {
      id,
      date: formatExact(image.takenAtMs),
      fits: typedValues(fits),
      helioviewer: typedValues(helioviewer),
      wcs: wcsOf(fits, image.sourceId),
      notes: wcsNotes(fits, image.sourceId),
      warning,
    };
    return jsonReply<typeof imageHeader>(reply, imageFacts(image));
  },
});

export const archivedFiles = [getJP2Image, getJP2Header, getImageHeader];

/** A link in a line of its own. No other tag of the page has an address, and no other text ends as the name of a file. */
function link(path: string, facts: readonly (string | number)[] = []): string {
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  const address = path.split('/').map(encodeURIComponent).join('/');
  return [`<a href="${address}">${escapeHtml(name)}</a>`, ...facts].join('  ');
}

/** The page of a folder: a line for each folder, or for each image with its time and size. @throws Failure `unknown-path` without images */
export async function archiveFolderPage(path: string, context: Context): Promise<Representation> {
  const { services, admission, stopwatch, url } = context;
  const charge = (images: number) => admission.admitAll('lists', images);
  const folder = await stopwatch.measure('index', () => archiveFolder(services.index, path, charge));
  if (!folder) throw new Failure('unknown-path', 'The archive has no images in this folder.');
  const address = `/jp2/${path === '' ? '' : `${path}/`}`;
  if (!url.pathname.endsWith('/')) return redirectReply(address, { policy: RECENT }, 301);
  const lines = [
    ...(path === '' ? [] : [link('../')]),
    ...folder.folders.map((name) => link(`${name}/`)),
    ...folder.files.map(([file, { takenAtMs, byteLength }]) => link(file, [formatDateTime(takenAtMs), byteLength])),
  ];
  const title = `Index of ${address}`;
  const body = `<h1>${escapeHtml(title)}</h1>\n<pre>\n${lines.join('\n')}\n</pre>`;
  const policy = policyUntil(folder.range?.endMs ?? Number.POSITIVE_INFINITY, services);
  return pageReply({ title, style: 'pre{line-height:1.5}', body }, { policy, tags: folder.instruments.map(timelineTag) });
}
