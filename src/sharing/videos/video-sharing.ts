// Sharing a movie with the video host: authorisation of the user at the host, and the start of an upload.
import { movieFileKey } from '../../archive/keys.ts';
import type { D1Movies } from '../../movies/d1-movies.ts';
import { isMovieId, MOVIE_STATUS } from '../../movies/movie.ts';
import type { Admission } from '../../platform/admission/admission.ts';
import { ROW_BYTES } from '../../platform/limits/admission.ts';
import { SHARING } from '../../platform/limits/sharing.ts';
import type { Clock, Log } from '../../platform/ports/timing.ts';
import type { ObjectStore, StoredObject } from '../../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure, when } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import type { D1SharingSessions } from './d1-sharing-sessions.ts';
import type { D1VideoShares, Share } from './d1-video-shares.ts';
import { type Grant, hostMessage, isActive, movieFacts, type VideoDetails, VideoHostError } from './share.ts';
import { randomToken, type SecretBox, type SharingAccess } from './sharing-access.ts';
import type { VideoHost } from './video-host.ts';

const AUTHORISATION_ROWS = 2;
/** The file that is uploaded: the best quality, because the host encodes it again. */
const UPLOADED_FILE = 'movie-hq.mp4';

export type MovieFile = Pick<StoredObject, 'size' | 'etag'> & { readonly key: string };

type ShareablePorts = { readonly register: Pick<D1Movies, 'find'>; readonly objects: Pick<ObjectStore, 'head'> };

/** The movie of an id; null for an unknown one. Its file is null when it is not stored, or no longer. */
export async function shareableMovie({ register, objects }: ShareablePorts, id: string) {
  const found = isMovieId(id) ? await register.find(id) : null;
  if (!found) return null;
  const { movie, build } = found;
  const isFinished = build.statusMp4 === MOVIE_STATUS.finished;
  const key = movieFileKey(build, UPLOADED_FILE);
  const stored = isFinished ? await objects.head(key) : null;
  const file: MovieFile | null = stored && { key, size: stored.size, etag: stored.etag };
  return { isFinished, facts: movieFacts(movie, build), file };
}

export type ShareableMovie = NonNullable<Awaited<ReturnType<typeof shareableMovie>>>;

export interface SharingPorts {
  readonly access: SharingAccess;
  readonly sessions: D1SharingSessions;
  readonly shares: D1VideoShares;
  readonly movie: (id: string) => Promise<ShareableMovie | null>;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly host: VideoHost;
  readonly box: SecretBox;
  /** Announces that an upload may be waiting. */
  readonly nudge: () => Promise<void>;
  readonly clock: Clock;
  /** Receives one record per failed attempt. */
  readonly log: Log;
}

interface ShareRequest {
  readonly movieId: string;
  /** Null for a request without details of the video. */
  readonly details: VideoDetails | null;
  readonly sessionToken: string | null;
  /** Whether a page of this service made the request. Only such requests may act for the user. */
  readonly isOwnPage: boolean;
}

const verifierContext = (stateHash: string) => `verifier ${stateHash}`;

const alreadyShared = (): Failure =>
  new Failure('already-shared', 'This movie is already shared or being uploaded.', { parameter: 'id' });

const refused = when(VideoHostError, ({ reason }): never => {
  const kind = reason === 'not-granted' || reason === 'revoked' ? 'not-authorised' : 'host-refused';
  throw new Failure(kind, hostMessage(reason));
});

export class VideoSharingService extends Service<SharingPorts> {
  async isAuthorised(sessionToken: string | null): Promise<boolean> {
    const session = await this.ports.access.find(sessionToken);
    return session !== null && (await this.ports.access.grantOf(session)) !== null;
  }

  /** Stores the details of a share and starts an authorisation. @throws Failure `unknown-movie`, `not-shareable`, `already-shared` */
  async beginAuthorisation(
    request: { movieId: string; details: VideoDetails; sessionToken: string | null; admission: Admission },
    redirectUri: string,
  ) {
    const { access, sessions, host, box, clock } = this.ports;
    const { movieId, details, sessionToken, admission } = request;
    await this.#requireFinished(movieId);
    const existing = await this.ports.shares.find(movieId);
    if (existing && isActive(existing)) throw alreadyShared();
    const amount = AUTHORISATION_ROWS * ROW_BYTES + JSON.stringify(details).length;
    await admission.store('authorisations', amount);
    const known = await access.find(sessionToken, SHARING.authorisationMs);
    const { token, session } = known && sessionToken !== null ? { token: sessionToken, session: known } : await access.open();
    const [state, { verifier, challenge }] = [randomToken(), await host.authority.newChallenge()];
    const stateHash = await sha256Hex(state);
    await sessions.addAuthorisation({
      stateHash,
      session: session.hash,
      movieId,
      details,
      sealedVerifier: await box.seal(verifier, verifierContext(stateHash)),
      expiresAtMs: clock() + SHARING.authorisationMs,
    });
    return { location: host.authority.authorisationUrl({ state, challenge, redirectUri }), sessionToken: token };
  }

  /**
   * Completes an authorisation: exchanges the code for a grant and starts the share that the session requested.
   * @param callback Query parameters of the redirect back from the host
   * @returns The id of the movie
   * @throws Failure `forbidden` for a state that is unknown, used or of another session; `not-authorised`, `host-refused`
   */
  async completeAuthorisation(callback: URLSearchParams, sessionToken: string | null, redirectUri: string): Promise<string> {
    const { access, sessions, host, clock } = this.ports;
    const session = await access.find(sessionToken);
    const authorisation =
      session && (await sessions.takeAuthorisation(await sha256Hex(callback.get('state') ?? ''), session.hash, clock()));
    if (!session || !authorisation) {
      const message = `This authorisation was not started by this browser within the last ${SHARING.authorisationMs / MINUTE_MS} minutes. Begin again.`;
      throw new Failure('forbidden', message);
    }
    const { movieId, details } = authorisation;
    const verifier = await this.ports.box.open(authorisation.sealedVerifier, verifierContext(authorisation.stateHash));
    if (verifier === null) throw new Failure('not-authorised', 'This authorisation is no longer valid. Begin again.');
    const grant = await host.authority.exchange(callback, verifier, redirectUri).catch(refused);
    await access.keepGrant(session.hash, grant);
    await this.#begin({ movieId, session: session.hash, details, grant });
    return movieId;
  }

  /** The share of a movie: that of this session, or a new one from a page of ours with a grant. @throws Failure as `beginAuthorisation` */
  async share({ movieId, details, sessionToken, isOwnPage }: ShareRequest): Promise<Share> {
    const { access, shares } = this.ports;
    const [existing, session] = [await shares.find(movieId), await access.find(sessionToken)];
    const own = existing && session?.hash === existing.session ? existing : null;
    if (existing && isActive(existing)) {
      const isRepeated = existing.status === 'done' && details !== null;
      if (!own || isRepeated) throw alreadyShared();
      return own;
    }
    if (own?.status === 'failed' && !isOwnPage) return own;
    const grant = session && (await access.grantOf(session));
    if (!session || !grant)
      throw new Failure(
        'not-authorised',
        'This browser session is not authorised at the video host. Call getVideoHostAuth first.',
      );
    if (!isOwnPage) {
      const message = 'Movies are shared only for requests from pages of this service. Call getVideoHostAuth first.';
      throw new Failure('forbidden', message);
    }
    const shown = details ?? own?.details;
    if (!shown) throw badParameter('title', 'the title of the video', undefined);
    return this.#begin({ movieId, session: session.hash, details: shown, grant });
  }

  async #requireFinished(movieId: string): Promise<ShareableMovie> {
    const movie = await this.ports.movie(movieId);
    if (!movie)
      throw new Failure('unknown-id', `No movie has the id ${movieId}. queueMovie returns the ids of movies.`, {
        parameter: 'id',
      });
    if (movie.isFinished && movie.file) return movie;
    const message = movie.isFinished
      ? 'The file of this movie has been deleted. Rebuild the movie, then share it.'
      : 'This movie is not finished. It can be shared once it is.';
    throw new Failure('not-shareable', message, { parameter: 'id' });
  }

  async #begin(request: { movieId: string; session: string; details: VideoDetails; grant: Grant }): Promise<Share> {
    const { access, shares, nudge, clock } = this.ports;
    const { movieId, session, details, grant } = request;
    const { facts } = await this.#requireFinished(movieId);
    const sealedGrant = await access.sealForUpload(movieId, grant);
    const hasBegun = await shares.begin({ movieId, session, details, facts, sealedGrant }, clock());
    const share = await shares.find(movieId);
    // The second of two concurrent requests of one page finds the share of the first.
    if (!share || (!hasBegun && share.session !== session)) throw alreadyShared();
    // A lost message does no harm, because the scheduled job looks for uploads as well.
    if (hasBegun) await nudge().catch(() => undefined);
    return share;
  }
}
