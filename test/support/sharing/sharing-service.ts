// The service with an in-memory database, one movie in the archive and a fake video host.
import { afterEach } from 'vitest';
import { readSharingSettings } from '../../../src/platform/settings/sharing.ts';
import { D1SharingSessions } from '../../../src/sharing/videos/d1-sharing-sessions.ts';
import { D1VideoShares } from '../../../src/sharing/videos/d1-video-shares.ts';
import type { MovieFacts } from '../../../src/sharing/videos/share.ts';
import { assembleSharing } from '../../../src/sharing/videos/sharing.ts';
import { videoHost } from '../../../src/sharing/videos/video-host.ts';
import type { ShareableMovie } from '../../../src/sharing/videos/video-sharing.ts';
import { NOW_MS } from '../memory/archived-images.ts';
import { budgetsIn } from '../memory/budgets.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import { testArchive } from '../test-archive.ts';
import { FakeVideoHost } from './fake-video-host.ts';

export const ORIGIN = 'https://sun.test';
export const MOVIE = 'bcdfghjk';
export const FILE_KEY = 'movies/1/movie-hq.mp4';
export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'empty' };

export const FACTS: MovieFacts = {
  layers: '[10,1,100]',
  events: '',
  layerNames: 'AIA 171',
  imageScaleArcsecPerPixel: 2.4,
  width: 1280,
  height: 720,
  durationSeconds: 10,
  startMs: Date.UTC(2024, 0, 1),
  endMs: Date.UTC(2024, 0, 2),
  centreX: 12.5,
  centreY: -40,
  createdAtMs: Date.UTC(2024, 0, 30),
};

/** Parameters of sharing a movie, as a user enters them. */
export const ENTERED = { id: MOVIE, title: 'A day of the Sun', description: 'Calm.', tags: 'sun, corona', share: 'true' };

/** A browser that stores cookies, and records every response for inspection. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #send: (path: string, init: RequestInit) => Promise<Response>;
  readonly #seen: string[];

  constructor(send: (path: string, init: RequestInit) => Promise<Response>, seen: string[]) {
    this.#send = send;
    this.#seen = seen;
  }

  async get(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#send(path, { ...init, headers: { ...headers, ...(cookie ? { Cookie: cookie } : {}) } });
    const set = /^([^=]+)=([^;]*)/.exec(response.headers.get('Set-Cookie') ?? '');
    if (set) this.cookies.set(set[1]!, set[2]!);
    const head = [...response.headers].filter(([name]) => name !== 'set-cookie' && name !== 'location');
    this.#seen.push(JSON.stringify(head), await response.clone().text());
    return response;
  }
}

export async function sharingService(
  movie: Partial<ShareableMovie> = {},
  bytes: Uint8Array = new Uint8Array(3_000_000).fill(7),
  { isQueueAway = false } = {},
) {
  const host = await new FakeVideoHost().start();
  let nowMs = NOW_MS;
  const clock = () => nowMs;
  const database = migrated();
  const seen: string[] = [];
  const objects = new MemoryObjectStore();
  objects.objects.set(FILE_KEY, bytes);
  const shared = { isFinished: true, facts: FACTS, file: { key: FILE_KEY, size: bytes.length, etag: '"1"' }, ...movie };
  const movies = new Map<string, ShareableMovie>([MOVIE, 'second22'].map((id) => [id, shared]));
  const settings = readSharingSettings(host.environment());
  const nudges: number[] = [];
  const logged: unknown[] = [];
  const log = (record: unknown) => logged.push(record);
  const sharing = assembleSharing({
    sessions: new D1SharingSessions(databasesIn(database)),
    shares: new D1VideoShares(databasesIn(database)),
    movie: async (id) => movies.get(id) ?? null,
    objects,
    host: videoHost(settings.videoHost!, clock),
    nudge: async () => {
      nudges.push(nowMs);
      if (isQueueAway) throw new Error('The queue is away.');
    },
    clock,
    settings,
    log,
  });
  const { app, settle } = testArchive({ clock, sharing, budgets: budgetsIn({ main: database }, { clock }), log, logFault: log });
  const send = async (path: string, init: RequestInit) => app.request(new URL(path, ORIGIN).href, init);
  return {
    app,
    host,
    sharing,
    movies,
    database,
    logged,
    seen,
    nudges,
    /** Files by key, and the store that holds them. */
    objects: objects.objects,
    store: objects,
    now: clock,
    /** A new browser without cookies. */
    browser: () => new TestBrowser(send, seen),
    pass: (ms: number) => {
      nowMs += ms;
    },
    settle,
    rows: async (table: string) => (await database.prepare(`SELECT * FROM ${table}`).all<Record<string, unknown>>()).results,
  };
}

/** A function that starts services, whose video hosts are stopped after each test. */
export function sharingServices() {
  const started: Awaited<ReturnType<typeof sharingService>>[] = [];
  afterEach(async () => {
    for (const { host } of started.splice(0)) await host.stop();
  });
  return async (...options: Parameters<typeof sharingService>) => {
    const service = await sharingService(...options);
    started.push(service);
    return service;
  };
}

/** Path that requests the authorisation to share. */
export function authorisePath(values: Record<string, string> = ENTERED): string {
  return `/v2/getVideoHostAuth/?${new URLSearchParams(values)}`;
}

/** Authorises at the host and follows the redirect back; the response to that. */
export async function shareThrough(
  { host }: { host: FakeVideoHost },
  browser: TestBrowser,
  values: Record<string, string> = ENTERED,
): Promise<Response> {
  const away = await browser.get(authorisePath(values));
  const back = host.allow(away.headers.get('Location')!);
  return browser.get(back.href, { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document' });
}
