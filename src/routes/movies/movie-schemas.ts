// Response schemas of the operations on movies.
import { z } from '@hono/zod-openapi';
import { PREVIEWS } from '../../domain/movies/formats.ts';
import { dateTimeText } from '../../http/openapi/json-bodies.ts';

const queuedMovie = () =>
  z
    .object({
      id: z.string().describe('Id of the movie, for getMovieStatus, downloadMovie and playMovie.'),
      eta: z.number().min(0).describe('Estimated seconds until it is finished.'),
      queue: z.int().min(0).describe('Builds that have to finish before it starts.'),
      token: z.string().describe('Handle of its job, for getMovieStatus.'),
      message: z.string().optional().describe('Deviations from the request, as fewer frames.'),
    })
    .openapi('QueuedMovie', { description: 'A movie that is queued, being built or finished.' });

const refusedMovie = () =>
  z
    .object({
      error: z.string().describe('A sentence for people.'),
      errno: z.int().describe('12 for no images in the range, 16 for too few, 40 for a full queue.'),
    })
    .openapi('RefusedMovie', {
      description: 'A movie that cannot be made or queued, with status 200 because clients depend on that.',
    });

/** queueMovie and postMovie. */
export const queueBody = () => z.union([queuedMovie(), refusedMovie()]);

/** reQueueMovie, whose failures have a status. */
export const requeueBody = () => queuedMovie();

const movieEstimate = () =>
  z
    .object({
      frames: z.int().min(1),
      frameRate: z.number().describe('Frames per second.'),
      duration: z.number().describe('Length in seconds.'),
      width: z.int().describe('Pixels.'),
      height: z.int().describe('Pixels.'),
      eta: z.number().min(0).describe('Estimated seconds until it would be finished.'),
      queue: z.int().min(0).describe('Builds that would have to finish before it starts.'),
      message: z.string().optional().describe('Deviations from the request, as fewer frames.'),
    })
    .openapi('MovieEstimate', { description: 'What queueMovie would make now.' });

/** estimateMovie. */
export const estimateBody = () => z.union([movieEstimate(), refusedMovie()]);

const jobStatus = () =>
  z
    .union([z.int(), z.literal(false), z.literal('')])
    .optional()
    .describe(
      'State of the job of `token`: 1 queued, 2 running, 3 failed, 4 done; false for another movie, empty without token.',
    );

const eventsTree = () =>
  z
    .object({
      labels_visible: z.boolean(),
      layers: z.array(z.object({ event_type: z.string(), frms: z.array(z.string()), event_instances: z.array(z.string()) })),
      layers_v2: z.array(z.string()).optional(),
    })
    .openapi('EventsTree', { description: 'Selected events of one source.' });

const arcsec = (description: string) =>
  z.number().optional().describe(`${description} of the field of view, arcseconds, y down.`);

/** With `verbose`. */
const verboseFields = () => ({
  timestamp: dateTimeText('Verbose: time of the request.').optional(),
  duration: z.number().optional().describe('Verbose: length in seconds.'),
  imageScale: z.number().optional().describe('Verbose: arcseconds per pixel.'),
  layers: z.string().optional().describe('Verbose: layers as requested.'),
  events: z.string().optional().describe('Verbose: events in their notation.'),
  eventsState: z.record(z.string(), eventsTree()).optional().describe('Verbose: events by `tree_<SOURCE>`.'),
  x1: arcsec('Verbose: left side'),
  y1: arcsec('Verbose: upper side'),
  x2: arcsec('Verbose: right side'),
  y2: arcsec('Verbose: lower side'),
});

const statusLabel = () => z.string().describe('The status as a word.');

const progressFields = () => ({
  status: z.union([z.literal(0), z.literal(1)]).describe('0 queued, 1 being built.'),
  statusLabel: statusLabel(),
  progress: z.number().min(0).max(1).describe('Part of the frames that are drawn.'),
  currentFrame: z.int().min(0),
  numFrames: z.int(),
  queuePosition: z.int().min(0).describe('Place among the queued builds from 1; 0 while it is being built.'),
  eta: z.number().min(0).describe('Estimated seconds until it is finished.'),
});

const unfinished = () =>
  z
    .object({ ...progressFields(), jobStatus: jobStatus(), ...verboseFields() })
    .openapi('UnfinishedMovie', { description: 'A movie that is queued or being built.' });

const finished = () =>
  z
    .object({
      status: z.literal(2),
      statusLabel: statusLabel(),
      frameRate: z.number().describe('Frames per second.'),
      numFrames: z.int(),
      startDate: dateTimeText('Time of the first frame.'),
      endDate: dateTimeText('Time of the last frame.'),
      width: z.int().describe('Pixels.'),
      height: z.int().describe('Pixels.'),
      title: z.string(),
      thumbnails: previews('Addresses of the previews.'),
      url: z.string().describe('Address of the file.'),
      expired: z.literal(true).optional().describe('The file has been removed; downloadMovie has it built again.'),
      message: z.string().optional().describe('Frames and events that are left out.'),
      jobStatus: jobStatus(),
      ...verboseFields(),
    })
    .openapi('FinishedMovie', { description: 'A movie that can be downloaded and played.' });

const invalid = () =>
  z
    .object({
      status: z.literal(3),
      statusLabel: statusLabel(),
      error: z.string().describe('The reason, a sentence for people.'),
      jobStatus: jobStatus(),
      ...verboseFields(),
    })
    .openapi('InvalidMovie', { description: 'A movie that could not be built.' });

/** Addresses of preview pictures by their size. */
export const previews = (description: string) =>
  z
    .object(Object.fromEntries(PREVIEWS.map((size) => [size, z.string()])) as Record<(typeof PREVIEWS)[number], z.ZodString>)
    .describe(description);

/** getMovieStatus. */
export const movieStatus = () => z.union([unfinished(), finished(), invalid()]);

/** getMovieStatus in v1, which has only the status unless it is verbose. */
export const movieStatusInV1 = () =>
  z.union([
    z
      .object({ status: z.int().min(0).max(3).describe('0 queued, 1 being built, 2 finished, 3 invalid.') })
      .openapi('MovieStatusV1', { description: 'Without `verbose`.' }),
    movieStatus(),
  ]);

/** downloadMovie with status 202. */
export const unreadyMovie = () =>
  z
    .object({ error: z.string().describe('A sentence for people.'), ...progressFields() })
    .openapi('UnreadyMovie', { description: 'A movie that is not finished, or is being built again.' });
