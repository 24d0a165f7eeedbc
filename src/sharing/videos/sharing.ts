// The upload of a movie to the video host in parts, and the assembly of the services of sharing.
import { SHARING } from '../../platform/limits/sharing.ts';
import type { SharingSettings } from '../../platform/settings/sharing.ts';
import { when } from '../../platform/util/errors.ts';
import { doubled } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';
import type { ClaimedShare } from './d1-video-shares.ts';
import { type Grant, hostMessage, type UploadState, VideoHostError } from './share.ts';
import { SharingAccess, secretBox } from './sharing-access.ts';
import { checkPublishedVideos, UserVideos } from './user-videos.ts';
import { type MovieFile, type SharingPorts, VideoSharingService } from './video-sharing.ts';

/** `waiting`: continued by a later run; `lost`: the lease expired and another run has it. */
type Outcome = 'done' | 'failed' | 'waiting' | 'lost';

const NO_FILE = 'The file of this movie has been deleted. Rebuild the movie, then share it.';

/** Reason of an upload that may have been published: another one would publish the video again. */
const UNCONFIRMED =
  'The video host has not confirmed the video after its last part was sent. If it is not among your videos there, share the movie again.';

/** Identifies the content of a file, because a rebuilt movie may have other bytes under the same key. */
const versionOf = ({ key, etag }: MovieFile) => `${key} ${etag}`;

const addressContext = (movieId: string) => `address ${movieId}`;

/** Permanent failure of an upload. The message is for the user. */
class UploadFailed extends Error {}

/** The lease has expired, and another run may have the upload. */
class LeaseLost extends Error {}

/** An upload that the host knows. */
type Begun = { readonly address: string; readonly state: UploadState };

type Run = { readonly untilMs: number; calls: number };

const isUsedUp = ({ untilMs, calls }: Run, { clock }: Pick<SharingPorts, 'clock'>) => clock() > untilMs || calls <= 0;

class Upload extends Service<SharingPorts & { readonly share: ClaimedShare; readonly run: Run }> {
  #grant: Grant | null = null;
  /** Consecutive attempts without progress, this one included. */
  #attempts = this.ports.share.attempts;
  #recordedBytes = this.ports.share.sentBytes;
  /** Whether the host may have all parts. */
  #isSent = this.ports.share.fileSize > 0 && this.ports.share.sentBytes >= this.ports.share.fileSize;

  async run(): Promise<Outcome> {
    try {
      return await this.#attempt();
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost';
      if (error instanceof UploadFailed) return this.#fail(error.message);
      return this.#afterFailure(error);
    }
  }

  async #attempt(): Promise<Outcome> {
    const { access, share, shares, clock } = this.ports;
    const { movieId, sealedGrant, lease } = share;
    if (clock() - share.createdAtMs > SHARING.giveUpMs) throw new UploadFailed(hostMessage('unavailable'));
    this.#grant = sealedGrant === null ? null : await access.openForUpload(movieId, sealedGrant);
    if (!this.#grant) throw new UploadFailed(hostMessage('revoked'));
    const begun = await this.#begun();
    const videoId = begun && 'videoId' in begun.state ? begun.state.videoId : await this.#send(begun);
    if (videoId === null) {
      const isHeld = await shares.retry(movieId, lease, clock(), null);
      return isHeld ? 'waiting' : 'lost';
    }
    return (await shares.finish(movieId, lease, videoId, clock())) ? 'done' : 'lost';
  }

  /** The upload that an earlier attempt started; null for a new one. The host is asked before the file, which may be gone since it was sent. */
  async #begun(): Promise<Begun | null> {
    const { box, host, share } = this.ports;
    const { movieId, sealedAddress, fileSize } = share;
    const address = sealedAddress === null ? null : await box.open(sealedAddress, addressContext(movieId));
    if (address === null) return null;
    const state = await this.#authorised((token) => host.uploads.state(address, token, fileSize)).catch(
      when(VideoHostError, ({ reason }) => (reason === 'upload-lost' ? null : undefined)),
    );
    if (state === null && this.#isSent) throw new UploadFailed(UNCONFIRMED);
    this.#isSent = state !== null && 'videoId' in state;
    return state && { address, state };
  }

  async #start(file: MovieFile): Promise<Begun> {
    const { box, host, shares, share } = this.ports;
    const address = await this.#authorised((token) => host.uploads.begin(token, share.details, file.size));
    const sealedAddress = await box.seal(address, addressContext(share.movieId));
    const started = { sealedAddress, fileKey: versionOf(file), fileSize: file.size, sentBytes: 0 };
    this.#requireLease(await shares.change(share.movieId, share.lease, started));
    this.#recordedBytes = 0;
    return { address, state: { sentBytes: 0 } };
  }

  /** Sends the remaining bytes of the file. Returns the id of the video, or null when this run is used up. */
  async #send(begun: Begun | null): Promise<string | null> {
    const { movie, share } = this.ports;
    const file = (await movie(share.movieId))?.file;
    if (!file) throw new UploadFailed(NO_FILE);
    const isSameFile = share.fileKey === versionOf(file);
    const { address, state: first } = begun && isSameFile ? begun : await this.#start(file);
    let state = first;
    while (!('videoId' in state)) {
      const isOver = isUsedUp(this.ports.run, this.ports);
      const isLast = !isOver && state.sentBytes + SHARING.chunkBytes >= file.size;
      await this.#recordProgress(isLast ? file.size : state.sentBytes);
      if (isOver) return null;
      this.ports.run.calls -= SHARING.callsPerChunk;
      const next = await this.#sendChunk(file, address, state.sentBytes);
      if (!('videoId' in next) && next.sentBytes <= state.sentBytes) throw new VideoHostError('unavailable');
      state = next;
    }
    return state.videoId;
  }

  /** Sends one chunk. After an interruption, the state comes from the host; a lack of progress is left to a later attempt. */
  async #sendChunk(file: MovieFile, address: string, offset: number): Promise<UploadState> {
    const { objects, host } = this.ports;
    const bytes = await objects.read(file.key, offset, Math.min(SHARING.chunkBytes, file.size - offset));
    if (!bytes) throw new UploadFailed(NO_FILE);
    this.#isSent = offset + bytes.length >= file.size;
    try {
      return await this.#authorised((token) => host.uploads.send(address, token, { bytes, offset, totalBytes: file.size }));
    } catch (error) {
      const reason = error instanceof VideoHostError ? error.reason : null;
      if (reason !== 'unavailable') {
        // The host has not taken the chunk.
        if (reason !== null) this.#isSent = false;
        if (reason === 'upload-lost') await this.#recordProgress(offset);
        throw error;
      }
      const state = await this.#authorised((token) => host.uploads.state(address, token, file.size));
      this.#isSent = 'videoId' in state;
      return state;
    }
  }

  async #recordProgress(sentBytes: number): Promise<void> {
    const { share, shares, clock } = this.ports;
    this.#requireLease(await shares.progress(share.movieId, share.lease, sentBytes, clock() + SHARING.leaseMs));
    if (sentBytes > this.#recordedBytes) this.#attempts = 1;
    this.#recordedBytes = sentBytes;
  }

  #requireLease(isHeld: boolean): void {
    if (!isHeld) throw new LeaseLost();
  }

  /** Runs a request with a valid access token, and repeats it once with a refreshed one when the host rejects the token. */
  async #authorised<T>(request: (accessToken: string) => Promise<T>): Promise<T> {
    const grant = this.#grant!;
    if (grant.expiresAtMs <= this.ports.clock() + SHARING.tokenMarginMs) await this.#refresh();
    try {
      return await request(this.#grant!.accessToken);
    } catch (error) {
      const isTokenRefused = error instanceof VideoHostError && error.reason === 'token-refused';
      if (!isTokenRefused || this.#grant !== grant) throw error;
      await this.#refresh();
      return request(this.#grant!.accessToken);
    }
  }

  async #refresh(): Promise<void> {
    const { access, host, share, shares } = this.ports;
    const { refreshToken } = this.#grant!;
    if (refreshToken === null) throw new VideoHostError('revoked');
    this.#grant = await host.authority.refresh(refreshToken);
    const sealedGrant = await access.sealForUpload(share.movieId, this.#grant);
    this.#requireLease(await shares.change(share.movieId, share.lease, { sealedGrant }));
  }

  async #fail(reason: string): Promise<Outcome> {
    const { share, shares } = this.ports;
    return (await shares.fail(share.movieId, share.lease, this.#isSent ? UNCONFIRMED : reason)) ? 'failed' : 'lost';
  }

  async #afterFailure(error: unknown): Promise<Outcome> {
    const { access, share, shares, clock, log } = this.ports;
    const attempts = this.#attempts;
    const reason = error instanceof VideoHostError ? error.reason : 'unavailable';
    // Logs the name only, because messages of other errors may contain addresses.
    log({ upload: share.movieId, attempt: attempts, failure: error instanceof VideoHostError ? reason : nameOf(error) });
    const isWithdrawn = reason === 'revoked' || reason === 'token-refused';
    if (isWithdrawn && this.#grant) await access.dropGrant(share.session, this.#grant);
    const isWorthRetrying = reason === 'unavailable' || reason === 'upload-lost';
    if (!isWorthRetrying || attempts >= SHARING.attempts) return this.#fail(hostMessage(reason));
    const notBeforeMs = clock() + doubled(attempts, SHARING.firstRetryMs);
    return (await shares.retry(share.movieId, share.lease, notBeforeMs, hostMessage(reason))) ? 'waiting' : 'lost';
  }
}

const NONE: Record<Outcome, number> = { done: 0, failed: 0, waiting: 0, lost: 0 };

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Runs due uploads one after the other until none is due or the run is used up. Safe to call concurrently. */
export async function runUploads(ports: SharingPorts) {
  const counts = { ...NONE };
  const run: Run = { untilMs: ports.clock() + SHARING.runMs, calls: SHARING.runCalls };
  while (!isUsedUp(run, ports)) {
    run.calls -= SHARING.callsPerUpload;
    const share = await ports.shares.claim(ports.clock(), SHARING.leaseMs);
    if (!share) break;
    counts[await new Upload({ ...ports, share, run }).run()] += 1;
  }
  return counts;
}

interface Assembled extends Omit<SharingPorts, 'access' | 'box' | 'host'> {
  /** Null when none is configured; nothing can be shared then. */
  readonly host: SharingPorts['host'] | null;
  readonly settings: SharingSettings;
}

/**
 * `videoSharing` is null without a video host. `sweep` deletes expired rows and looks whether published videos are available, for the scheduled
 * job, and returns the number of rows and of videos that are gone.
 */
export function assembleSharing(ports: Assembled) {
  const { settings, shares, sessions, host, clock } = ports;
  const userVideos = new UserVideos({ shares, watchUrl: settings.watchUrl });
  const expire = () => sessions.expire(clock());
  if (!host || settings.sessionKey === null)
    return { settings, userVideos, videoSharing: null, runUploads: async () => NONE, sweep: expire };
  const box = secretBox(settings.sessionKey);
  const access = new SharingAccess({ sessions, box, clock });
  const parts = { ...ports, host, box, access };
  return {
    settings,
    userVideos,
    videoSharing: new VideoSharingService(parts),
    runUploads: () => runUploads(parts),
    sweep: async () => (await expire()) + (await checkPublishedVideos(parts)),
  };
}

export type Sharing = ReturnType<typeof assembleSharing>;
