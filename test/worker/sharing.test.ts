// Sharing in workerd: cryptography, D1 and R2, with an in-process video host.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { readSharingSettings } from '../../src/config/settings/sharing.ts';
import type { MovieFacts } from '../../src/domain/sharing/share.ts';
import { assembleSharing } from '../../src/services/sharing/sharing.ts';
import { R2ObjectStore } from '../../src/storage/r2-object-store.ts';
import { D1SharingSessions } from '../../src/storage/sharing/d1-sharing-sessions.ts';
import { D1VideoShares } from '../../src/storage/sharing/d1-video-shares.ts';
import { HttpVideoHost } from '../../src/upstreams/video-host.ts';
import { budgetsIn } from '../support/memory/budgets.ts';

const NOW_MS = Date.UTC(2024, 0, 31, 12);
const MOVIE = 'bcdfghjk';
const FILE_KEY = 'derived/movies/1/movie-hq.mp4';
const RETURN = 'https://sun.test/v2/uploadMovieToVideoHost/?html=true';
const FACTS: MovieFacts = {
  layers: '[10,1,100]',
  events: '',
  layerNames: 'SDO AIA 171',
  imageScaleArcsecPerPixel: 2.4,
  width: 1280,
  height: 720,
  durationSeconds: 10,
  startMs: NOW_MS,
  endMs: NOW_MS,
  centreX: 0,
  centreY: 0,
  createdAtMs: NOW_MS,
};
const DETAILS = { title: 'The Sun', description: '', tags: ['sun'], isShared: true };

/** A video host that breaks the connection of the first `faults` chunks after half of their bytes. */
class MemoryHost {
  received = new Uint8Array(0);
  challenge = '';
  faults = 2;

  readonly fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(address);
    if (pathname === '/token') return this.#token(new URLSearchParams(String(init.body)));
    if (pathname === '/upload') return new Response(null, { headers: { Location: 'https://host.test/upload/1' } });
    const [, from, size] = /^bytes (?:\*|(\d+)-\d+)\/(\d+)$/.exec(new Headers(init.headers).get('Content-Range')!)!;
    if (from !== undefined) this.#take(new Uint8Array(init.body as Uint8Array<ArrayBuffer>));
    if (this.received.length === Number(size)) return Response.json({ id: 'video-1' });
    return new Response(null, { status: 308, headers: { Range: `bytes=0-${this.received.length - 1}` } });
  };

  async #token(form: URLSearchParams): Promise<Response> {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(form.get('code_verifier')!));
    const challenge = Buffer.from(digest).toString('base64url');
    if (challenge !== this.challenge) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    return Response.json({ access_token: 'access-1', refresh_token: 'refresh-1', token_type: 'bearer', expires_in: 3600 });
  }

  #take(bytes: Uint8Array): void {
    const isBroken = this.faults > 0;
    this.faults -= 1;
    const kept = isBroken ? bytes.subarray(0, bytes.length >> 1) : bytes;
    this.received = Uint8Array.from([...this.received, ...kept]);
    if (isBroken) throw new TypeError('broken off');
  }
}

const ENVIRONMENT = {
  VIDEO_HOST_AUTH_URL: 'https://host.test/authorise',
  VIDEO_HOST_TOKEN_URL: 'https://host.test/token',
  VIDEO_HOST_UPLOAD_URL: 'https://host.test/upload',
  VIDEO_HOST_CLIENT_ID: 'client',
  VIDEO_HOST_CLIENT_SECRET: 'secret',
  SESSION_KEY: 'k'.repeat(32),
};

async function service(bytes: Uint8Array) {
  const host = new MemoryHost();
  const objects = new R2ObjectStore(env.ARCHIVE);
  const { size, etag } = await objects.put(FILE_KEY, bytes, 'video/mp4');
  const settings = readSharingSettings(ENVIRONMENT);
  const clock = () => NOW_MS;
  const sharing = assembleSharing({
    sessions: new D1SharingSessions({ main: env.DB }),
    shares: new D1VideoShares({ main: env.DB }),
    budgets: budgetsIn({ main: env.DB }, { clock: Date.now }),
    movies: { find: async () => ({ isFinished: true, facts: FACTS, file: { key: FILE_KEY, size, etag } }) },
    objects,
    host: new HttpVideoHost(settings.videoHost!, { now: clock, fetch: host.fetch }),
    nudge: async () => {},
    clock,
    settings,
    log: () => {},
  });
  return { host, sharing, videoSharing: sharing.videoSharing! };
}

describe('sharing in the Worker', () => {
  it('authorises with PKCE and uploads a file from R2 over broken connections', async () => {
    const bytes = Uint8Array.from({ length: 100_003 }, (_, i) => (i * 31) % 251);
    const { host, sharing, videoSharing } = await service(bytes);
    const { location, sessionToken } = await videoSharing.beginAuthorisation(
      { movieId: MOVIE, details: DETAILS, sessionToken: null, client: 'local' },
      RETURN,
    );
    const authorisation = new URL(location).searchParams;
    host.challenge = authorisation.get('code_challenge')!;
    const callback = new URLSearchParams({ code: 'code-1', state: authorisation.get('state')! });
    expect(await videoSharing.completeAuthorisation(callback, sessionToken, RETURN)).toBe(MOVIE);
    expect(await videoSharing.isAuthorised(sessionToken)).toBe(true);
    await expect(videoSharing.completeAuthorisation(callback, sessionToken, RETURN)).rejects.toThrow('Begin again.');

    expect(await sharing.runUploads()).toMatchObject({ done: 1 });
    expect(Buffer.compare(host.received, bytes)).toBe(0);
    const row = await env.DB.prepare('SELECT status, video_id, sealed_grant FROM video_shares').first();
    expect(row).toEqual({ status: 'done', video_id: 'video-1', sealed_grant: null });
    expect(await sharing.userVideos.list({ count: 1, skip: 0, sinceMs: 0 }, 'https://sun.test')).toMatchObject([{ id: MOVIE }]);
    const rows = await env.DB.prepare('SELECT * FROM video_sessions').all();
    expect(JSON.stringify(rows.results)).not.toMatch(/access-1|refresh-1/);
  });

  it('leases an upload to exactly one of several concurrent callers', async () => {
    await service(new Uint8Array(10));
    const shares = new D1VideoShares({ main: env.DB });
    const share = { movieId: MOVIE, session: 'a', sealedGrant: 'b', details: DETAILS, facts: FACTS };
    const begun = await Promise.all([shares.begin(share, NOW_MS), shares.begin(share, NOW_MS)]);
    expect(begun.sort()).toEqual([false, true]);
    const claims = await Promise.all(Array.from({ length: 5 }, () => shares.claim(NOW_MS, 1000)));
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  });
});
