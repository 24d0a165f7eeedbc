import type { VideoHostSettings } from '../../config/settings/sharing.ts';
import { VideoHostError } from '../../domain/sharing/host-error.ts';
import type { VideoDetails } from '../../domain/sharing/video-details.ts';
import type { Grant, UploadState, VideoHost } from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { ask, type Fetch } from './ask.ts';
import { VideoHostAuthority } from './authority.ts';
import { ResumableUpload } from './resumable-upload.ts';

/** Answers of oEmbed: 401 is a video that may not be embedded, which is there; 403 a private one, 404 none. */
const PRESENCE: Readonly<Record<number, boolean>> = { 200: true, 401: true, 403: false, 404: false };

/** YouTube, or what speaks its protocols, over HTTP. */
export class HttpVideoHost implements VideoHost {
  readonly #settings: VideoHostSettings;
  readonly #fetch: Fetch;
  readonly #authority: VideoHostAuthority;
  readonly #upload: ResumableUpload;

  constructor(settings: VideoHostSettings, { now, fetch }: { now: Clock; fetch?: Fetch }) {
    this.#settings = settings;
    // Called as a function of nothing: Workers do not let fetch be a method.
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#authority = new VideoHostAuthority(settings, this.#fetch, now);
    this.#upload = new ResumableUpload(settings.uploadUrl, this.#fetch);
  }

  newChallenge(): Promise<{ verifier: string; challenge: string }> {
    return this.#authority.newChallenge();
  }

  authorisationUrl(request: { state: string; challenge: string; redirectUri: string }): string {
    return this.#authority.authorisationUrl(request);
  }

  exchange(callback: URLSearchParams, verifier: string, redirectUri: string): Promise<Grant> {
    return this.#authority.exchange(callback, verifier, redirectUri);
  }

  refresh(refreshToken: string): Promise<Grant> {
    return this.#authority.refresh(refreshToken);
  }

  beginUpload(accessToken: string, details: VideoDetails, bytes: number): Promise<string> {
    return this.#upload.begin(accessToken, details, bytes);
  }

  uploadState(address: string, accessToken: string, totalBytes: number): Promise<UploadState> {
    return this.#upload.state(address, accessToken, totalBytes);
  }

  send(
    address: string,
    accessToken: string,
    chunk: { bytes: Uint8Array; offset: number; totalBytes: number },
  ): Promise<UploadState> {
    return this.#upload.send(address, accessToken, chunk);
  }

  async isThere(videoId: string): Promise<boolean> {
    const url = new URL(this.#settings.oembedUrl);
    url.searchParams.set('format', 'json');
    url.searchParams.set('url', this.#settings.watchUrl + encodeURIComponent(videoId));
    const { status } = await ask(this.#fetch, url.href, { method: 'GET' });
    const isThere = PRESENCE[status];
    if (isThere === undefined) throw new VideoHostError('unavailable');
    return isThere;
  }
}
