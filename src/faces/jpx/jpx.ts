// getJPX and getJPXClosestToMidPoint, and JPX files by name.
import { z } from '@hono/zod-openapi';
import { noImages } from '../../archive/find-image.ts';
import { timelineTagOf } from '../../archive/keys.ts';
import { estimatedFrames, imagesOfIntervals, imagesOfRange, MAX_INTERVALS, pairIntervals } from '../../archive/range-images.ts';
import { SourceSequence } from '../../jp2/byte-source.ts';
import { intervalsName, type JpxNaming, jpxName } from '../../jp2/jpx/file-name.ts';
import { jpxLayout } from '../../jp2/jpx/layout.ts';
import { withNotices } from '../../platform/http/operation.ts';
import type { Values } from '../../platform/http/parameters.ts';
import {
  boolean,
  date,
  decimal,
  integerSequence,
  jsonBody,
  named,
  suggestedNumber,
  text,
} from '../../platform/http/parameters.ts';
import {
  IMMUTABLE,
  jsonReply,
  NO_STORE,
  namedFile,
  PRIVATE_COPY,
  RECENT,
  type StreamRepresentation,
  TEXT_TYPE,
  textReply,
} from '../../platform/http/response.ts';
import { JPX, MOST_EMBEDDED_FRAMES } from '../../platform/limits/jpx.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { Failure, when } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { checkOrder } from '../../sun/time.ts';
import { namedSource, resolveSource, sourceId } from '../images/source-parameters.ts';
import { jpipAddress } from '../jpip/jpip.ts';
import { type Context, operation, serviceOrigin } from '../services.ts';
import type { JpxManifest, JpxRequest } from './jpx-manifest.ts';
import { chargedParts, framesOf, framesWithMetadata, isLong, openManifest, recordJpx } from './jpx-manifest.ts';
import { sourceStream } from './source-stream.ts';

const jpxAddress = () =>
  named('JpxAddress', 'A JPX file that is ready to be read.', {
    message: text('Deviations from the request, as another cadence; null for none.').nullable(),
    uri: text('JPIP address with jpip, else HTTP address.'),
    frames: z.array(z.int()).describe('Times of the frames, seconds since 1970.'),
  });

const jpxFailure = () =>
  named('JpxFailure', 'A failure, with status 200 because desktop clients depend on that.', {
    error: text('A sentence for people.'),
    uri: z.null(),
  });

const jpxBody = () => z.union([jpxAddress(), jpxFailure()]);

/** Seconds since 1970 of dates with four-digit years. */
const UNIX_SECONDS = { min: -62_167_219_200, max: 253_402_300_799 };
const CADENCE_SECONDS = { min: -1_000_000_000, max: 1_000_000_000 };

const flags = {
  linked: boolean('Frames are links to the JP2 files.').default(false),
  verbose: boolean('Responds with the address, the times of the frames, and a message about changes.').default(false),
  jpip: boolean('Responds with the JPIP address instead of the file or its HTTP address.').default(false),
};

type Flags = Values<typeof flags>;

const ofMovies = {
  tag: 'JPX',
  responses: {
    'image/jpx': 'The file.',
    'text/plain': 'With jpip: its JPIP address.',
    'application/json': jsonBody(
      'With `verbose`: the address and the frames. A failure, in any form: {error, uri: null}.',
      jpxBody,
    ),
  },
  headers: ['Content-Disposition'],
  otherResponses: { 410: 'An image of the movie has been withdrawn or replaced.' },
  edge: 'large',
} as const;

const ETAG_DIGITS = 32;

/** The file of a record. @throws Failure of the parts of a long one */
export async function jpxResponse(
  manifest: JpxManifest,
  { services: { objects, jpip }, admission, stopwatch }: Context,
  policy = IMMUTABLE,
): Promise<StreamRepresentation> {
  const { name, linked, frames } = manifest;
  // The images of a long linked file would take too many reads: the XML is read from its parts.
  const isOfParts = linked && isLong(frames);
  const parts = chargedParts(jpip.parts, admission);
  const sent = isOfParts ? (await framesWithMetadata({ objects, parts }, manifest))! : framesOf(manifest);
  const { length, sources } = stopwatch.measure('compose', () => jpxLayout(sent, manifest));
  return {
    contentType: 'image/jpx',
    etag: `"${(await sha256Hex(JSON.stringify(manifest))).slice(0, ETAG_DIGITS)}"`,
    length,
    isSized: true,
    policy,
    edgeSeconds: JPX.edgeSeconds,
    tags: frames.map(timelineTagOf),
    headers: namedFile('attachment', `${name}.jpx`),
    lastModifiedMs: undefined,
    open: async (range) => {
      const all = new SourceSequence(sources);
      return sourceStream(objects, range ? all.slice(range.offset, range.offset + range.length) : sources);
    },
  };
}

/** The file `<name>.jpx` of an address that getJPX returned. @throws Failure (unknown-path, withdrawn) */
export async function namedJpx(name: string, context: Context): Promise<StreamRepresentation> {
  const manifest = await context.stopwatch.measure('read', () => openManifest(context.services, name));
  if (manifest) return jpxResponse(manifest, context);
  throw new Failure('unknown-path', 'No JPX file has this name. Request one with getJPX.');
}

/** Failures other than malformed parameters, which clients expect with status 200. */
const asErrorReply = when(Failure, ({ message: error }) => jsonReply<typeof jpxBody>({ error, uri: null }, { policy: NO_STORE }));

/** Records a movie and sends it. */
async function recorded(movie: Pick<JpxRequest, 'name' | 'images'>, message: string | null, wanted: Flags, context: Context) {
  const { admission, services } = context;
  const { objects, settings } = services;
  const { linked, jpip, verbose } = wanted;
  const request = { ...movie, linked, isForJpip: jpip, style: settings.JPX_STYLE };
  const manifest = await context.stopwatch.measure('read', () => recordJpx(objects, request, admission, services.jpip.parts));
  if (!jpip && !verbose) return jpxResponse(manifest, context, RECENT);
  // Below the root of the images, the same for HTTP and JPIP.
  const path = `/movies/${manifest.name}.jpx`;
  const uri = jpip ? jpipAddress(path, context) : serviceOrigin(context) + path;
  if (!verbose) return textReply(TEXT_TYPE, uri, { policy: PRIVATE_COPY });
  const frames = manifest.frames.map(({ takenAtMs }) => Math.floor(takenAtMs / 1000));
  return jsonReply<typeof jpxBody>({ message, uri, frames }, { policy: PRIVATE_COPY });
}

/** @throws Failure (no-image) for an unknown source */
function namingOf(id: number, naming: Omit<JpxNaming, 'source' | 'hasFourLevels'>, { version }: Context): JpxNaming {
  const source = findSource(id);
  if (!source) throw noImages(id);
  return { ...naming, source, hasFourLevels: version === 'v1' };
}

const times = {
  startTime: date('Start of the movie: its first frame is the first image from then on.'),
  endTime: date('End of the movie: its last frame is the last image until then.'),
};
const cadence = decimal(
  'Seconds between frames. Unset: every image, or as many evenly spread ones as a movie may have where there are more. Zero and below: ' +
    'every image, up to that number.',
  CADENCE_SECONDS,
).optional();

const getJPX = operation({
  ...ofMovies,
  name: 'getJPX',
  summary: 'A JPX movie of the images of a datasource in a time range.',
  description:
    'At most 1000 frames, or what the operator allows (`JPX_FRAMES`, for files that contain their frames up to 3200): where there are more images, `message` of the verbose response says which cadence was taken. Linked files ' +
    'hold the addresses of the JPEG 2000 files in place of the frames. Failures have the status 200, on which clients depend.',
  parameters: { ...times, sourceId: sourceId(), cadence, ...flags },
  parametersInV1: { ...times, ...namedSource, cadence, ...flags },
  canonical: ({ startTime, endTime, cadence: cadenceSeconds, linked, verbose, jpip, ...source }) => {
    return { startTime, endTime, cadenceSeconds, linked, verbose, jpip, sourceId: resolveSource(source) };
  },
  handle: async ({ startTime, endTime, cadenceSeconds, ...wanted }, context) => {
    const { services, stopwatch } = context;
    const range = { startMs: startTime, endMs: endTime, cadenceSeconds };
    const make = async () => {
      checkOrder(startTime, endTime, ['startTime', 'endTime']);
      const name = jpxName(namingOf(wanted.sourceId, { ...range, linked: wanted.linked }, context));
      const most = wanted.linked ? services.settings.JPX_FRAMES : Math.min(services.settings.JPX_FRAMES, MOST_EMBEDDED_FRAMES);
      const estimated = estimatedFrames(range, cadenceSeconds, most);
      await context.admission.admit('jpx', estimated);
      const request = { ...range, sourceId: wanted.sourceId, most };
      const record = async () => {
        const { images, message } = await stopwatch.measure('index', () => imagesOfRange(services.index, request));
        return recorded({ name, images }, message, wanted, context);
      };
      return context.admission.hold(JOB_BYTES.perJpxFrame * estimated, record, { reads: false });
    };
    return make().catch(asErrorReply);
  },
});

const unixTimes = (description: string) =>
  integerSequence(description, { ...UNIX_SECONDS, maxItems: MAX_INTERVALS }, (text) => {
    const seconds = text.split(',').map((item) => suggestedNumber(SECOND_MS)(item)?.value);
    return seconds.includes(undefined) ? undefined : seconds.join();
  });

const getJPXClosestToMidPoint = operation({
  ...ofMovies,
  name: 'getJPXClosestToMidPoint',
  summary: 'A JPX movie with one frame per interval, the image nearest to its middle.',
  description:
    'For frames at times of your own: each interval gives one frame, or none where no image lies in it. At most 360 intervals. ' +
    'The frames are strictly ascending in whole seconds, because desktop clients refuse other movies: an image that is the nearest ' +
    'one of several intervals is one frame, and X-Notice and `message` say so. Otherwise as getJPX.',
  parameters: {
    startTimes: unixTimes('Starts of the intervals, seconds since 1970.'),
    endTimes: unixTimes('Ends of the intervals, seconds since 1970, as many as there are starts.'),
    sourceId: sourceId(),
    ...flags,
  },
  parametersInV1: null,
  canonical: ({ sourceId: id, ...values }) => ({ ...values, sourceId: resolveSource({ sourceId: id }) }),
  handle: async ({ startTimes, endTimes, sourceId: id, ...wanted }, context) => {
    const { services, stopwatch } = context;
    const make = async () => {
      const intervals = pairIntervals(startTimes, endTimes);
      const ends = { startMs: intervals[0]!.startMs, endMs: intervals.at(-1)!.endMs };
      const name = intervalsName(namingOf(id, { ...ends, linked: wanted.linked }, context), startTimes, endTimes);
      await context.admission.admit('jpx', intervals.length);
      const { frames, message } = await stopwatch.measure('index', () => imagesOfIntervals(services.index, id, intervals));
      const reply = await recorded({ name, images: frames }, message, wanted, context);
      return withNotices(reply, message === null ? [] : [message]);
    };
    return make().catch(asErrorReply);
  },
});

export const jpxOperations = [getJPX, getJPXClosestToMidPoint];
