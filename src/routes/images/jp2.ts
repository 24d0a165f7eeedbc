// getJP2Image and getJP2Header.
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { type CachePolicy, IMMUTABLE, PRIVATE_COPY, RECENT, SETTLED } from '../../http/cache-policy.ts';
import { boolean, date, integer } from '../../http/parameters.ts';
import { jsonReply, type StreamRepresentation, TEXT_TYPE, textReply, XML_TYPE } from '../../http/representation.ts';
import { imageById, nearestImage } from '../../services/images/find-image.ts';
import { jp2HeaderDocument } from '../../services/images/jp2-header.ts';
import { jpipAddress } from '../jpip/jpip-address.ts';
import { type Context, operation } from '../services.ts';
import { imageHeaders } from './image-headers.ts';
import { namedSource, resolveSource, sourceId } from './source-parameters.ts';
import { storedFile } from './stored-file.ts';

export const imageId = () => integer('Image, as getClosestImage names it.', { min: 1, max: Number.MAX_SAFE_INTEGER });

interface ChosenImage {
  readonly image: ArchivedImage;
  readonly distanceSeconds?: number;
  readonly policy: CachePolicy;
}

async function choose(wanted: { id?: number; date?: number; sourceId?: number }, context: Context): Promise<ChosenImage> {
  const ports = { index: context.services.index, stopwatch: context.stopwatch };
  if (wanted.id !== undefined) return { image: await imageById(ports, wanted.id), policy: IMMUTABLE };
  const request = { sourceId: wanted.sourceId!, atMs: wanted.date! };
  const { isSettled, ...nearest } = await nearestImage(ports, request, context.services.clock());
  return { ...nearest, policy: isSettled ? SETTLED : RECENT };
}

/** An archived file as a link names it: its path in the archive is all that may follow `/jp2/`. */
export async function archivedFile(path: string, context: Context): Promise<StreamRepresentation> {
  const image = await context.services.index.byFileName(path.slice(path.lastIndexOf('/') + 1));
  if (image?.key === `jp2/${path}`) return jp2File({ image, policy: IMMUTABLE }, context);
  throw new Failure('unknown-path', 'Expected the path of an archived image, got another path.');
}

/** A whole JP2 comes from the edge where it is known by its id, however it was asked for. */
function jp2File({ image, distanceSeconds, policy }: ChosenImage, context: Context): StreamRepresentation {
  const etag = `"${image.sha256.slice(0, 32)}"`;
  const file = { key: image.key, edgeKey: `jp2?id=${image.id}`, contentType: 'image/jp2', etag, length: image.byteLength };
  const headers = {
    ...imageHeaders(image, distanceSeconds),
    'Content-Disposition': `attachment; filename="${image.fileName.replace(/[^\w.+-]/g, '_')}"`,
  };
  // The nearest image may change to one that is older: only the ETag tells them apart.
  const dated = distanceSeconds === undefined ? { lastModifiedMs: image.takenAtMs } : {};
  return storedFile(file, { headers, policy, ...dated }, context);
}

const forms = {
  jpip: boolean('Answers with the JPIP address instead of the file.').default(false),
  json: boolean('Answers with the JPIP address as JSON; without jpip it has no effect.').default(false),
};
const id = imageId().optional();
const wantedDate = date('The image nearest to this time is chosen. Not needed with id.').optional();

export const getJP2Image = operation({
  name: 'getJP2Image',
  summary: 'The JPEG 2000 file of the image nearest to a time, or of an image by its id.',
  tag: 'Images',
  responses: {
    'image/jp2': 'The file.',
    'text/plain': 'With jpip: its JPIP address.',
    'application/json': 'With jpip and json: {uri}.',
  },
  parameters: { id, date: wantedDate, sourceId: sourceId().optional(), ...forms },
  parametersInV1: { id, date: wantedDate, ...namedSource, ...forms },
  jsonp: false,
  edge: 'own',
  canonical: (values) => {
    const form = { jpip: values.jpip, json: values.json };
    if (values.id !== undefined) return { id: values.id, ...form };
    if (values.date === undefined)
      throw new Failure('missing-parameter', 'Expected a UTC date for date, got nothing.', { parameter: 'date' });
    return { date: values.date, sourceId: resolveSource(values), ...form };
  },
  handle: async ({ jpip, json, ...wanted }, context) => {
    const chosen = await choose(wanted, context);
    if (!jpip) return jp2File(chosen, context);
    const { key } = chosen.image;
    const uri = jpipAddress(key.slice(key.indexOf('/')), context);
    const facts = { policy: PRIVATE_COPY, headers: imageHeaders(chosen.image, chosen.distanceSeconds) };
    return json ? jsonReply({ uri }, facts) : textReply(TEXT_TYPE, uri, facts);
  },
});

export const getJP2Header = operation({
  name: 'getJP2Header',
  summary: 'The XML header of an image.',
  tag: 'Images',
  responses: {
    'text/xml': 'The header: meta, with fits and helioviewer in it.',
    'text/javascript': 'The same as a string, JSONP.',
  },
  parameters: { id: imageId() },
  jsonp: true,
  edge: 'shared',
  canonical: (values) => values,
  key: (canonical) => canonical,
  handle: async (wanted, { services, stopwatch }) => {
    const image = await imageById({ index: services.index, stopwatch }, wanted.id);
    const document = await jp2HeaderDocument({ objects: services.objects, stopwatch }, image);
    const facts = { policy: IMMUTABLE, headers: imageHeaders(image), lastModifiedMs: image.takenAtMs };
    return textReply(XML_TYPE, document, facts);
  },
});
