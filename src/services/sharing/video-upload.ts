// Uploads of shared movies: whatever ends one half-way, the next run goes on from where the host is.
import { SHARING } from '../../config/limits/sharing.ts';
import { hostSentence, VideoHostError } from '../../domain/sharing/host-error.ts';
import { retryDelayMs } from '../../domain/sharing/share.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type {
  ClaimedUpload,
  Grant,
  MovieFile,
  ShareableMovies,
  UploadState,
  VideoHost,
  VideoShares,
} from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import type { SecretBox } from './secret-box.ts';
import type { SharingAccess } from './sharing-access.ts';

export interface UploadPorts {
  readonly access: SharingAccess;
  readonly shares: VideoShares;
  readonly movies: ShareableMovies;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly host: VideoHost;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
}

/** `waiting`: to be gone on with; `lost`: somebody else has it by now. */
type Outcome = 'done' | 'failed' | 'waiting' | 'lost';
export type UploadCounts = Record<Outcome, number>;

const NO_FILE = 'The movie is no longer kept. Have it made again, then share it.';

/** A movie that is built again may have other bytes under the same key. */
const versionOf = ({ key, etag }: MovieFile) => `${key} ${etag}`;

const addressPlace = (movieId: string) => `address ${movieId}`;

/** Ends an upload for good, with a sentence for its user. */
class UploadEnd extends Error {}

/** The lease has run out and somebody else has the upload. */
class LeaseLost extends Error {}

class Upload {
  readonly #ports: UploadPorts;
  readonly #claimed: ClaimedUpload;
  readonly #untilMs: number;
  #grant: Grant | null = null;
  /** In a row that got no byte further, this one included. */
  #attempts: number;
  #notedBytes: number;

  constructor(ports: UploadPorts, claimed: ClaimedUpload, untilMs: number) {
    this.#ports = ports;
    this.#claimed = claimed;
    this.#untilMs = untilMs;
    this.#attempts = claimed.attempts;
    this.#notedBytes = claimed.share.sentBytes;
  }

  async run(): Promise<Outcome> {
    try {
      return await this.#attempt();
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost';
      if (error instanceof UploadEnd) return this.#fail(error.message);
      return this.#afterFailure(error);
    }
  }

  async #attempt(): Promise<Outcome> {
    const { share, sealedGrant } = this.#claimed;
    const { access, shares, clock } = this.#ports;
    if (clock() - share.createdAtMs > SHARING.giveUpMs) throw new UploadEnd(hostSentence('unavailable'));
    this.#grant = sealedGrant === null ? null : await access.openForUpload(share.movieId, sealedGrant);
    if (!this.#grant) throw new UploadEnd(hostSentence('revoked'));
    const movie = await this.#ports.movies.find(share.movieId);
    if (!movie?.file) throw new UploadEnd(NO_FILE);
    const { address, state } = await this.#opened(movie.file);
    const videoId = await this.#sent(movie.file, address, state);
    if (videoId === null) {
      const isHeld = await shares.retry(share.movieId, this.#claimed.lease, clock(), null);
      return isHeld ? 'waiting' : 'lost';
    }
    return (await shares.finish(share.movieId, this.#claimed.lease, videoId, clock())) ? 'done' : 'lost';
  }

  /** Where the host takes the bytes of this file, and what it has of them. */
  async #opened(file: MovieFile): Promise<{ address: string; state: UploadState }> {
    const { share, begun } = this.#claimed;
    const { box, host } = this.#ports;
    const isSameFile = begun?.fileKey === versionOf(file);
    const address = begun && isSameFile ? await box.open(begun.sealedAddress, addressPlace(share.movieId)) : null;
    if (address === null) return this.#begun(file);
    try {
      return { address, state: await this.#authorised((token) => host.uploadState(address, token, file.size)) };
    } catch (error) {
      if (error instanceof VideoHostError && error.reason === 'upload-lost') return this.#begun(file);
      throw error;
    }
  }

  async #begun(file: MovieFile): Promise<{ address: string; state: UploadState }> {
    const { share, lease } = this.#claimed;
    const { box, host, shares } = this.#ports;
    const address = await this.#authorised((token) => host.beginUpload(token, share.details, file.size));
    const sealedAddress = await box.seal(address, addressPlace(share.movieId));
    this.#held(await shares.begun(share.movieId, lease, { sealedAddress, fileKey: versionOf(file), fileSize: file.size }));
    this.#notedBytes = 0;
    return { address, state: { sentBytes: 0 } };
  }

  /** Sends what is missing; the id of the video, or null when the time of this run is over. */
  async #sent(file: MovieFile, address: string, first: UploadState): Promise<string | null> {
    const { clock } = this.#ports;
    let state = first;
    while (!('videoId' in state)) {
      await this.#noteProgress(state.sentBytes);
      if (clock() > this.#untilMs) return null;
      const next = await this.#sentChunk(file, address, state.sentBytes);
      if (!('videoId' in next) && next.sentBytes <= state.sentBytes) throw new VideoHostError('unavailable');
      state = next;
    }
    return state.videoId;
  }

  /** After a break the host says what came through; that it has less than before is for a later attempt. */
  async #sentChunk(file: MovieFile, address: string, offset: number): Promise<UploadState> {
    const { objects, host } = this.#ports;
    const bytes = await objects.read(file.key, offset, Math.min(SHARING.chunkBytes, file.size - offset));
    if (!bytes) throw new UploadEnd(NO_FILE);
    try {
      return await this.#authorised((token) => host.send(address, token, { bytes, offset, totalBytes: file.size }));
    } catch (error) {
      if (!(error instanceof VideoHostError && error.reason === 'unavailable')) throw error;
      return this.#authorised((token) => host.uploadState(address, token, file.size));
    }
  }

  async #noteProgress(sentBytes: number): Promise<void> {
    const { shares, clock } = this.#ports;
    const { share, lease } = this.#claimed;
    this.#held(await shares.progress(share.movieId, lease, sentBytes, clock() + SHARING.leaseMs));
    if (sentBytes > this.#notedBytes) this.#attempts = 1;
    this.#notedBytes = sentBytes;
  }

  #held(isHeld: boolean): void {
    if (!isHeld) throw new LeaseLost();
  }

  /** Asks with a token that is good, and once more with a new one where the host no longer takes it. */
  async #authorised<T>(question: (accessToken: string) => Promise<T>): Promise<T> {
    const grant = this.#grant!;
    if (grant.expiresAtMs <= this.#ports.clock() + SHARING.tokenMarginMs) await this.#refresh();
    try {
      return await question(this.#grant!.accessToken);
    } catch (error) {
      const isTokenRefused = error instanceof VideoHostError && error.reason === 'token-refused';
      if (!isTokenRefused || this.#grant !== grant) throw error;
      await this.#refresh();
      return question(this.#grant!.accessToken);
    }
  }

  async #refresh(): Promise<void> {
    const { access, host, shares } = this.#ports;
    const { share, lease } = this.#claimed;
    const { refreshToken } = this.#grant!;
    if (refreshToken === null) throw new VideoHostError('revoked');
    this.#grant = await host.refresh(refreshToken);
    const sealed = await access.sealForUpload(share.movieId, this.#grant);
    this.#held(await shares.setGrant(share.movieId, lease, sealed));
  }

  async #fail(reason: string): Promise<Outcome> {
    const { share, lease } = this.#claimed;
    return (await this.#ports.shares.fail(share.movieId, lease, reason)) ? 'failed' : 'lost';
  }

  async #afterFailure(error: unknown): Promise<Outcome> {
    const { access, shares, clock, log } = this.#ports;
    const { share, lease } = this.#claimed;
    const attempts = this.#attempts;
    const reason = error instanceof VideoHostError ? error.reason : 'unavailable';
    // The name alone: messages of other errors may hold addresses.
    log({ upload: share.movieId, attempt: attempts, failure: error instanceof VideoHostError ? reason : nameOf(error) });
    const isWithdrawn = reason === 'revoked' || reason === 'token-refused';
    if (isWithdrawn && this.#grant) await access.dropGrant(share.session, this.#grant);
    const isWorthRetrying = reason === 'unavailable' || reason === 'upload-lost';
    if (!isWorthRetrying || attempts >= SHARING.attempts) return this.#fail(hostSentence(reason));
    const notBeforeMs = clock() + retryDelayMs(attempts, SHARING.firstRetryMs);
    return (await shares.retry(share.movieId, lease, notBeforeMs, hostSentence(reason))) ? 'waiting' : 'lost';
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Does the uploads that are due, one after the other, until none is or the time of a run is over. Safe to call at any time. */
export async function runUploads(ports: UploadPorts): Promise<UploadCounts> {
  const counts: UploadCounts = { done: 0, failed: 0, waiting: 0, lost: 0 };
  const untilMs = ports.clock() + SHARING.runMs;
  while (ports.clock() <= untilMs) {
    const claimed = await ports.shares.claim(ports.clock(), SHARING.leaseMs);
    if (!claimed) break;
    counts[await new Upload(ports, claimed, untilMs).run()] += 1;
  }
  return counts;
}
