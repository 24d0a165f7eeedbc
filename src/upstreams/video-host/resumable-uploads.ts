// Resumable uploads of Google APIs: a first request returns the upload address, chunks are sent to it, and a status request returns
// the number of received bytes after an interruption.
import { SHARING } from '../../config/limits/sharing.ts';
import { type HostErrorReason, VideoHostError } from '../../domain/sharing/host-error.ts';
import type { VideoDetails } from '../../domain/sharing/video-details.ts';
import type { HostUploads, UploadState } from '../../ports/sharing.ts';
import { type Fetch, hostRequest, jsonOf } from './host-request.ts';

const MEDIA_TYPE = 'video/mp4';
/** "Science & Technology". */
const CATEGORY = '28';
const RESUME_INCOMPLETE = 308;
const VIDEO_ID = /^[\w-]{1,64}$/;
const RECEIVED = /^bytes=0-(\d{1,15})$/;

/** Errors by `reason` in the body; errors with other reasons are mapped by status. */
const REASONS: Readonly<Record<string, HostErrorReason>> = {
  quotaExceeded: 'quota',
  dailyLimitExceeded: 'quota',
  uploadLimitExceeded: 'quota',
  rateLimitExceeded: 'unavailable',
  userRateLimitExceeded: 'unavailable',
  youtubeSignupRequired: 'refused',
};

const STATUSES: Readonly<Record<number, HostErrorReason>> = {
  400: 'refused',
  401: 'token-refused',
  403: 'refused',
  404: 'upload-lost',
  410: 'upload-lost',
};

interface ErrorBody {
  readonly error?: { readonly errors?: readonly { readonly reason?: unknown }[] };
}

async function refusal(response: Response): Promise<VideoHostError> {
  const body = (await jsonOf(response)) as ErrorBody | null;
  const reason = body?.error?.errors?.[0]?.reason;
  const known = typeof reason === 'string' && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  return new VideoHostError(known ?? STATUSES[response.status] ?? 'unavailable');
}

function videoResource({ title, description, tags }: VideoDetails): object {
  const status = { privacyStatus: 'public', embeddable: true, selfDeclaredMadeForKids: false };
  return { snippet: { title, description, tags, categoryId: CATEGORY }, status };
}

async function finishedState(response: Response): Promise<UploadState> {
  const video = (await jsonOf(response)) as { id?: unknown } | null;
  const videoId = video?.id;
  if (typeof videoId !== 'string' || !VIDEO_ID.test(videoId)) throw new VideoHostError('unavailable');
  return { videoId };
}

async function stateOf(response: Response, totalBytes: number): Promise<UploadState> {
  if (response.ok) return finishedState(response);
  if (response.status !== RESUME_INCOMPLETE) throw await refusal(response);
  const range = response.headers.get('Range');
  if (range === null) return { sentBytes: 0 };
  const sentBytes = Number(RECEIVED.exec(range)?.[1] ?? Number.NaN) + 1;
  if (!(sentBytes <= totalBytes)) throw new VideoHostError('unavailable');
  return { sentBytes };
}

export class ResumableUploads implements HostUploads {
  readonly #url: URL;
  readonly #fetch: Fetch;

  constructor(uploadUrl: string, fetch: Fetch) {
    this.#url = new URL(uploadUrl);
    this.#fetch = fetch;
  }

  /** Accepts an upload address of the host's own origin only. */
  async begin(accessToken: string, details: VideoDetails, bytes: number): Promise<string> {
    const url = new URL(this.#url);
    url.searchParams.set('uploadType', 'resumable');
    url.searchParams.set('part', 'snippet,status');
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      'Content-Type': 'application/json; charset=UTF-8',
      'X-Upload-Content-Length': String(bytes),
      'X-Upload-Content-Type': MEDIA_TYPE,
    };
    const body = JSON.stringify(videoResource(details));
    const response = await hostRequest(this.#fetch, url.href, { method: 'POST', headers, body });
    if (!response.ok) throw await refusal(response);
    const location = response.headers.get('Location') ?? '';
    if (!URL.canParse(location) || new URL(location).origin !== this.#url.origin) throw new VideoHostError('unavailable');
    return location;
  }

  async state(address: string, accessToken: string, totalBytes: number): Promise<UploadState> {
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Range': `bytes */${totalBytes}` };
    return stateOf(await hostRequest(this.#fetch, address, { method: 'PUT', headers }), totalBytes);
  }

  async send(
    address: string,
    accessToken: string,
    { bytes, offset, totalBytes }: { bytes: Uint8Array; offset: number; totalBytes: number },
  ): Promise<UploadState> {
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      'Content-Type': MEDIA_TYPE,
      'Content-Range': `bytes ${offset}-${offset + bytes.length - 1}/${totalBytes}`,
    };
    const response = await hostRequest(
      this.#fetch,
      address,
      { method: 'PUT', headers, body: bytes as BodyInit },
      SHARING.chunkMs,
    );
    return stateOf(response, totalBytes);
  }
}
