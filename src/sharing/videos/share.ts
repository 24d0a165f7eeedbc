// Shares: movies that users publish at the video host, their browser sessions, and the errors of the host.
import type { Movie, MovieBuild } from '../../movies/movie-tables.ts';
import { printEventsText } from '../../picture/events/selection.ts';
import { layersTitle } from '../../picture/layers.ts';
import { DETAIL_LIMITS } from '../../platform/limits/sharing.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';

/** `pending`: waits for a run; `uploading`: leased by one; `done`: published; `failed`: may be retried; `gone`: removed or hidden later. */
export type ShareStatus = 'pending' | 'uploading' | 'done' | 'failed' | 'gone';

/**
 * Facts about a movie for lists and markers, recorded when it is shared. Layers and events are in the notations of the API, the centre of the field of
 * view in arcseconds from disk centre, x to the west, y to the SOUTH.
 */
export function movieFacts(movie: Movie, build: MovieBuild) {
  const { layers, events } = movie.request;
  const { scene } = build.recipe;
  const { left, top, right, bottom } = scene.region;
  return {
    layers,
    events: typeof events === 'string' ? events : printEventsText(scene.events),
    layerNames: layersTitle(scene.layers),
    imageScaleArcsecPerPixel: scene.imageScaleArcsecPerPixel,
    width: build.width,
    height: build.height,
    durationSeconds: (build.frameCount - build.framesSkipped) / build.frameRate,
    startMs: build.firstFrameMs,
    endMs: build.lastFrameMs,
    centreX: (left + right) / 2,
    centreY: (top + bottom) / 2,
    createdAtMs: movie.createdAtMs,
  };
}

export type MovieFacts = Readonly<ReturnType<typeof movieFacts>>;

/** State of an upload at the host: bytes received, or the id of the finished video. */
export type UploadState = { readonly sentBytes: number } | { readonly videoId: string };

const ACTIVE: readonly ShareStatus[] = ['pending', 'uploading', 'done'];

export const isActive = ({ status }: { readonly status: ShareStatus }): boolean => ACTIVE.includes(status);

/** Queue message that announces a pending upload. Which one is read from D1. */
export const UPLOAD_NUDGE = { kind: 'uploads' } as const;

export type Grant = { readonly accessToken: string; readonly expiresAtMs: number; readonly refreshToken: string | null };

const MESSAGES = {
  /** The user denied the permission, or the authorisation code is invalid. */
  'not-granted': 'The video host did not give the permission to upload.',
  revoked: 'The permission to upload was withdrawn or has ended. Authorise again.',
  /** The access token is rejected; a refreshed one may be accepted. */
  'token-refused': 'The video host does not accept the permission to upload. Authorise again.',
  /** The daily quota of the user or of this service is used up. */
  quota: 'The video host takes no more uploads today. Try again tomorrow.',
  /** The host rejects this video, or the account may not upload. */
  refused: 'The video host refused this video or this account.',
  'upload-lost': 'The video host lost the upload. Try again.',
  /** No response, an invalid one, or a temporary failure. */
  unavailable: 'The video host could not be reached. Try again later.',
} as const;

export type HostErrorReason = keyof typeof MESSAGES;

export const hostMessage = (reason: HostErrorReason): string => MESSAGES[reason];

export class VideoHostError extends Error {
  readonly reason: HostErrorReason;

  constructor(reason: HostErrorReason) {
    super(`The video host: ${reason}.`);
    this.name = 'VideoHostError';
    this.reason = reason;
  }
}

/** The host rejects `<` and `>`; control characters are rejected here. */
const NOT_IN_A_LINE = /[<>\p{Cc}\u2028\u2029]/u;
const NOT_IN_TEXT = /[<>]|(?![\n\r\t])\p{Cc}/u;

const isWellFormed = (text: string) => !/\p{Cs}/u.test(text);

function title(text: string): string {
  const trimmed = text.trim();
  const { titleCharacters } = DETAIL_LIMITS;
  if (trimmed !== '' && trimmed.length <= titleCharacters && !NOT_IN_A_LINE.test(trimmed) && isWellFormed(trimmed))
    return trimmed;
  throw badParameter('title', `1 to ${titleCharacters} characters in one line without < and >`, text);
}

function description(text: string): string {
  const { descriptionBytes } = DETAIL_LIMITS;
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes <= descriptionBytes && !NOT_IN_TEXT.test(text) && isWellFormed(text)) return text.trim();
  throw badParameter('description', `at most ${descriptionBytes} bytes of text without < and >`, text);
}

/** Length of a tag list as the host counts it, in characters. */
export function countedCharacters(tags: readonly string[]): number {
  const quoted = tags.map((tag) => (tag.includes(' ') ? tag.length + 2 : tag.length));
  return quoted.reduce((sum, length) => sum + length, Math.max(0, tags.length - 1));
}

function tagList(text: string): readonly string[] {
  const given = text.split(',').map((tag) => tag.trim());
  const tags = [...new Set(given.filter((tag) => tag !== ''))];
  const { tagCharacters, tagsCharacters } = DETAIL_LIMITS;
  const isGood = (tag: string) => tag.length <= tagCharacters && !NOT_IN_A_LINE.test(tag) && isWellFormed(tag);
  if (!tags.every(isGood))
    throw badParameter('tags', `words of 1 to ${tagCharacters} characters without < and >, separated by commas,`, text);
  if (countedCharacters(tags) > tagsCharacters) {
    const message = `Expected at most ${tagsCharacters} characters for tags, got ${countedCharacters(tags)}.`;
    throw new Failure('bad-parameter', message, { parameter: 'tags' });
  }
  return tags;
}

type DetailParameters = Readonly<Record<'title' | 'description' | 'tags', string>> & { readonly share: boolean };

/** Trimmed parameters without empty and repeated tags. @throws Failure `bad-parameter` for the first that the host would reject */
export const videoDetails = (parameters: DetailParameters) => ({
  title: title(parameters.title),
  description: description(parameters.description),
  tags: tagList(parameters.tags),
  isShared: parameters.share,
});

export type VideoDetails = Readonly<ReturnType<typeof videoDetails>>;
