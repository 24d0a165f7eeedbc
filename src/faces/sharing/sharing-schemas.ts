// Response schemas of the operations on links, views of the web client and shared movies.
import { z } from '@hono/zod-openapi';
import { dateTimeText, named, number, object, text, whole } from '../../platform/http/parameters.ts';
import { previews } from '../movies/movie-status.ts';

const enveloped = <T extends z.ZodType>(data: T) => ({ status_code: z.int(), status_txt: z.string(), data });

/** shortenURL. */
export const shortLink = () =>
  z
    .object(
      enveloped(
        z.object({
          long_url: text('The address.'),
          url: text('Its short link; the address itself where it is not shortened.'),
          hash: text('Id of the link, for goto; empty where the address is not shortened.'),
          global_hash: text('As hash.'),
          new_hash: z.int().min(0).max(1).describe('1 when the link is new.'),
        }),
      ),
    )
    .openapi('ShortLink');

/** saveWebClientState. */
export const savedState = () => z.object(enveloped(text('Key of the view, 64 hexadecimal digits.'))).openapi('SavedView');

/** getWebClientState. */
export const foundState = () =>
  z.object(enveloped(z.record(z.string(), z.unknown()).describe('The view as it was stored.'))).openapi('StoredView');

/** getWebClientState with status 404. */
export const unknownState = () => named('UnknownView', null, { ...enveloped(z.literal('')), error: z.string(), errno: z.int() });

/** enable3D. */
export const noticeTaken = () => z.object(enveloped(z.literal(''))).openapi('Notice');

/** logNotificationStatistics. */
export const permission = () => z.enum(['granted', 'denied']).describe('The word of the request.');

export const randomSeed = () => named('RandomSeed', null, { seed: text('64 hexadecimal digits.') });

export const usageStatistics = () => z.record(z.string(), z.unknown());

/** checkVideoHostAuth. */
export const isAuthorised = () => z.boolean().describe('Whether this browser session is authorised.');

/** uploadMovieToVideoHost. */
export const shareStatus = () =>
  named('ShareStatus', null, {
    status: text("'upload in progress.', 'uploaded.', 'upload failed.' or 'removed from the video host.'"),
    progress: z.number().min(0).max(1).describe('Part of the bytes that are sent.'),
    url: text('Address of the published video.').optional(),
    error: text('The reason of a failure.').optional(),
  });

const videoFields = () => ({
  id: text('Id of the movie.'),
  url: text('Address of the video at the host.'),
  published: dateTimeText('Time of its publication.'),
  title: z.string(),
  description: z.string(),
  keywords: text('Separated by commas.'),
  dataSourceString: text('Its layers in their notation.'),
  eventSourceString: text('Its events in their notation.'),
  movieLength: text('Seconds.'),
  startDate: dateTimeText('Time of the first frame.'),
  endDate: dateTimeText('Time of the last frame.'),
});

export const userVideos = () =>
  z.array(
    named('UserVideo', 'A shared movie. Numbers are texts, as in the original service.', {
      ...videoFields(),
      thumbnails: previews('Addresses of the previews.'),
      imageScale: text('Arcseconds per pixel.'),
      width: text('Pixels.'),
      height: text('Pixels.'),
    }),
  );

const region = () =>
  object('Field of view in pixels from disk centre, y down.', {
    top: z.number(),
    left: z.number(),
    bottom: z.number(),
    right: z.number(),
    width: z.number(),
    height: z.number(),
    imageScale: number('Arcseconds per pixel.'),
  });

export const observationVideos = () =>
  z.array(
    named('ObservationVideo', 'A shared movie that covers the requested time.', {
      ...videoFields(),
      thumbnails: z.object({ small: z.string(), medium: z.string() }),
      imageScale: number('Arcseconds per pixel.'),
      width: whole('Pixels.'),
      height: whole('Pixels.'),
      roi: region(),
    }),
  );
