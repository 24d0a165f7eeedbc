// Sharing a movie with the video host: the way of the user to the host's page and back, and what becomes a share.
import { SHARING } from '../../config/limits/sharing.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { hostSentence, VideoHostError } from '../../domain/sharing/host-error.ts';
import { isInTheWay, type Share } from '../../domain/sharing/share.ts';
import type { VideoDetails } from '../../domain/sharing/video-details.ts';
import type {
  Authorisation,
  Grant,
  ShareableMovie,
  ShareableMovies,
  SharingSession,
  SharingSessions,
  UploadNudge,
  VideoHost,
  VideoShares,
} from '../../ports/sharing.ts';
import type { Clock } from '../../ports/timing.ts';
import { sha256Hex } from '../../util/digest.ts';
import type { SecretBox } from './secret-box.ts';
import { randomToken, type SharingAccess } from './sharing-access.ts';

interface Ports {
  readonly access: SharingAccess;
  readonly sessions: SharingSessions;
  readonly shares: VideoShares;
  readonly movies: ShareableMovies;
  readonly host: VideoHost;
  readonly box: SecretBox;
  readonly uploads: UploadNudge;
  readonly clock: Clock;
}

/** Who asks, and what for. */
export interface ShareRequest {
  readonly movieId: string;
  /** Null: the request says nothing of the video. */
  readonly details: VideoDetails | null;
  /** From the cookie. */
  readonly sessionToken: string | null;
  /** Whether a page of ours made the request: only then does it act for its user. */
  readonly isOwnPage: boolean;
}

export interface Departure {
  /** The host's page. */
  readonly location: string;
  readonly sessionToken: string;
}

const verifierPlace = (stateHash: string) => `verifier ${stateHash}`;

function alreadyShared(): Failure {
  const sentence = 'Expected a movie that is not shared yet for id, got one that is shared or being uploaded.';
  return new Failure('already-shared', sentence, { parameter: 'id' });
}

function notAuthorised(sentence: string): Failure {
  return new Failure('not-authorised', sentence);
}

/** What the host said, as an answer to the user who waits for it. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof VideoHostError)) return error;
  const kind = error.reason === 'not-granted' || error.reason === 'revoked' ? 'not-authorised' : 'host-refused';
  return new Failure(kind, hostSentence(error.reason));
}

export class VideoSharingService {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Whether we may act for the user of this session. */
  async isAuthorised(sessionToken: string | null): Promise<boolean> {
    const session = await this.#ports.access.find(sessionToken);
    return session !== null && (await this.#ports.access.grantOf(session)) !== null;
  }

  /**
   * Notes what is to be shared and says where the user has to go.
   * @throws Failure `unknown-movie`, `not-shareable`, `already-shared`
   */
  async depart(
    { movieId, details, sessionToken }: { movieId: string; details: VideoDetails; sessionToken: string | null },
    redirectUri: string,
  ): Promise<Departure> {
    const { access, sessions, host, box, clock } = this.#ports;
    await this.#finishedMovie(movieId);
    const present = await this.#ports.shares.find(movieId);
    if (present && isInTheWay(present)) throw alreadyShared();
    const known = await access.find(sessionToken, SHARING.authorisationMs);
    const { token, session } = known && sessionToken !== null ? { token: sessionToken, session: known } : await access.open();
    const [state, { verifier, challenge }] = [randomToken(), await host.newChallenge()];
    const stateHash = await sha256Hex(state);
    await sessions.addAuthorisation({
      stateHash,
      session: session.hash,
      movieId,
      details,
      sealedVerifier: await box.seal(verifier, verifierPlace(stateHash)),
      expiresAtMs: clock() + SHARING.authorisationMs,
    });
    return { location: host.authorisationUrl({ state, challenge, redirectUri }), sessionToken: token };
  }

  /**
   * The user is back from the host with `callback`: takes the grant and begins the share that this session asked for; its movie.
   * @throws Failure `forbidden` for a state that is not of this session or was used, `not-authorised`, `host-refused`
   */
  async arrive(callback: URLSearchParams, sessionToken: string | null, redirectUri: string): Promise<string> {
    const { access, host } = this.#ports;
    const session = await access.find(sessionToken);
    const authorisation = session && (await this.#taken(callback.get('state') ?? '', session));
    if (!session || !authorisation) {
      const sentence = 'Expected an authorisation that this browser began in the last ten minutes, got another one. Begin again.';
      throw new Failure('forbidden', sentence);
    }
    const { movieId, details } = authorisation;
    const verifier = await this.#ports.box.open(authorisation.sealedVerifier, verifierPlace(authorisation.stateHash));
    if (verifier === null) throw notAuthorised('Expected an authorisation of now, got one of before. Begin again.');
    let grant: Grant;
    try {
      grant = await host.exchange(callback, verifier, redirectUri);
    } catch (error) {
      throw failureOf(error);
    }
    await access.keepGrant(session.hash, grant);
    await this.#begin({ movieId, session: session.hash, details, grant });
    return movieId;
  }

  /**
   * The share of a movie: the one that this session has, or a new one, which begins only for a page of ours and with a grant.
   * @throws Failure `unknown-movie`, `not-shareable`, `already-shared`, `not-authorised`, `forbidden`, `missing-parameter`
   */
  async share({ movieId, details, sessionToken, isOwnPage }: ShareRequest): Promise<Share> {
    const { access, shares } = this.#ports;
    const [present, session] = [await shares.find(movieId), await access.find(sessionToken)];
    const own = present && session?.hash === present.session ? present : null;
    if (present && isInTheWay(present)) {
      const isAskedAgain = present.status === 'done' && details !== null;
      if (!own || isAskedAgain) throw alreadyShared();
      return own;
    }
    if (own?.status === 'failed' && !isOwnPage) return own;
    const grant = session && (await access.grantOf(session));
    if (!session || !grant) {
      const sentence = 'Expected a browser session that is authorised with the video host, got none. Ask getVideoHostAuth first.';
      throw notAuthorised(sentence);
    }
    if (!isOwnPage) {
      const sentence = 'Expected a request from a page of this service, got one from elsewhere. Ask getVideoHostAuth first.';
      throw new Failure('forbidden', sentence);
    }
    const wanted = details ?? own?.details;
    if (!wanted) throw badParameter('title', 'the title of the video', undefined);
    return this.#begin({ movieId, session: session.hash, details: wanted, grant });
  }

  async #finishedMovie(movieId: string): Promise<ShareableMovie> {
    const movie = await this.#ports.movies.find(movieId);
    if (!movie) {
      throw new Failure('unknown-movie', 'Expected the id of a movie for id, got one that no movie has.', { parameter: 'id' });
    }
    if (movie.isFinished && movie.file) return movie;
    const sentence = 'Expected a finished movie for id, got one that is not finished or no longer kept.';
    throw new Failure('not-shareable', sentence, { parameter: 'id' });
  }

  async #taken(state: string, session: SharingSession): Promise<Authorisation | null> {
    const { sessions, clock } = this.#ports;
    return sessions.takeAuthorisation(await sha256Hex(state), session.hash, clock());
  }

  async #begin(wanted: { movieId: string; session: string; details: VideoDetails; grant: Grant }): Promise<Share> {
    const { access, shares, uploads, clock } = this.#ports;
    const { movieId, session, details, grant } = wanted;
    const { facts } = await this.#finishedMovie(movieId);
    const sealedGrant = await access.sealForUpload(movieId, grant);
    const hasBegun = await shares.begin({ movieId, session, details, facts, sealedGrant }, clock());
    const share = await shares.find(movieId);
    // Two requests of one page at the same time: the second finds what the first began.
    if (!share || (!hasBegun && share.session !== session)) throw alreadyShared();
    // A message that is not sent is no harm: the clock looks as well.
    if (hasBegun) await uploads.nudge().catch(() => undefined);
    return share;
  }
}
