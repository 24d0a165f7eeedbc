import type { VideoHostSettings } from '../../config/settings/sharing.ts';
import { VideoHostError } from '../../domain/sharing/host-error.ts';
import type { VideoHost } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { VideoHostAuthority } from './authority.ts';
import { type Fetch, hostRequest } from './host-request.ts';
import { ResumableUploads } from './resumable-uploads.ts';

/** Availability by the status of oEmbed: 401 is an available video that may not be embedded, 403 a private one. */
const AVAILABILITY: Readonly<Record<number, boolean>> = { 200: true, 401: true, 403: false, 404: false };

/** YouTube, or a host with the same protocols, over HTTP. */
export class HttpVideoHost implements VideoHost {
  readonly authority: VideoHostAuthority;
  readonly uploads: ResumableUploads;
  readonly #settings: VideoHostSettings;
  readonly #fetch: Fetch;

  constructor(settings: VideoHostSettings, { now, fetch }: { now: Clock; fetch?: Fetch }) {
    this.#settings = settings;
    // Wrapped, because fetch throws in Workers when it is called as a method of another object.
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.authority = new VideoHostAuthority(settings, this.#fetch, now);
    this.uploads = new ResumableUploads(settings.uploadUrl, this.#fetch);
  }

  async isAvailable(videoId: string): Promise<boolean> {
    const url = new URL(this.#settings.oembedUrl);
    url.searchParams.set('format', 'json');
    url.searchParams.set('url', this.#settings.watchUrl + encodeURIComponent(videoId));
    const { status } = await hostRequest(this.#fetch, url.href, { method: 'GET' });
    const isAvailable = AVAILABILITY[status];
    if (isAvailable === undefined) throw new VideoHostError('unavailable');
    return isAvailable;
  }
}
