// npm run deploy -- --check: drives a running service as clients and operators do, and says what works.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { archivePath, imageFile } from '../../../demo/image-file.ts';
import { imageTag } from '../../archive/keys.ts';
import { FROM_CACHE } from '../../platform/http/response.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { delay } from '../../platform/util/retry.ts';
import { isLoopback } from '../../platform/util/url.ts';
import { adminJson, ofStatus, posted } from '../ingest/admin-client.ts';

/** Scale of the uploaded images in full resolution, arcseconds a pixel. */
const IMAGE_SCALE = 19.2;
const REQUEST_TIMEOUT_MS = 60_000;
const POLL_MS = 1_000;

/** Milliseconds for what happens behind a response. */
export const CHECK_WAITS = {
  cacheMs: 10_000,
  /** A container starts in about a minute. */
  movieMs: 300_000,
  /** Isolates that know a withdrawn image may show it for a minute, and the purge is repeated two to three minutes later. */
  purgeMs: 300_000,
};

interface CheckOptions {
  readonly serviceUrl: string;
  /** With the scopes `ingest` and `withdraw`. */
  readonly token: string;
  readonly hasMovies: boolean;
  readonly nowMs: number;
  readonly waits: typeof CHECK_WAITS;
  /** Leaves out the rows that are left, and withdraws what was uploaded. */
  readonly signal: AbortSignal;
}

/** A row that cannot be shown here; the message says why. */
class NotShown extends Error {}

/** What the rows share: requests to the service, and what has been sent to it. */
export function checkOf(options: CheckOptions) {
  const admin = adminJson(options.serviceUrl, options.token);
  const ids: number[] = [];
  /** SHA-256 of the files that were sent. */
  const digests: string[] = [];
  /** Names that were sent, also those without a response. */
  const sent: string[] = [];
  // Years before the mission, so that no request for its times finds the images; another time for each run, because names are used once.
  const startMs = Date.UTC(1996, 0, 1) + (options.nowMs - Date.UTC(2026, 0, 1));

  const fetched = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(options.serviceUrl + path, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

  const firstId = (): number => {
    const [id] = ids;
    if (id === undefined) throw new NotShown('no image was uploaded');
    return id;
  };

  return {
    ...{ options, admin, ids, digests, sent, startMs, fetched, firstId },

    async whole(path: string, init?: RequestInit) {
      const response = await fetched(path, init);
      const { status, headers } = response;
      const isHit = FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '');
      return { status, headers, isHit, bytes: Buffer.from(await response.arrayBuffer()), etag: headers.get('ETag') ?? '' };
    },

    async json<T>(path: string): Promise<T> {
      const response = await fetched(path);
      // A proxy sends a page.
      const body = (await response.json().catch(() => ({}))) as T & { readonly error?: string };
      if (!response.ok || body.error) throw new Error(`status ${response.status}: ${body.error ?? 'no sentence'}`);
      return body;
    },

    /** @returns the id of the image */
    async upload(name: string, jp2: Uint8Array): Promise<number> {
      sent.push(name);
      digests.push(await sha256Hex(jp2));
      const init = { method: 'PUT', body: jp2 as Uint8Array<ArrayBuffer> };
      return (await admin<{ id: number }>(`/images/${name}`, init)).id;
    },

    /** Repeats an attempt until it returns a value other than null. @throws Error when the time is over, or the check is interrupted */
    async until<T>(waitMs: number, what: string, attempt: () => Promise<T | null>): Promise<T> {
      for (const startedMs = performance.now(); performance.now() - startedMs < waitMs; await delay(POLL_MS, options.signal)) {
        const value = await attempt();
        if (value !== null) return value;
      }
      throw new Error(`${what} within ${waitMs / 1000} s`);
    },

    tile: () => `/v2/getTile/?id=${firstId()}&x=0&y=0&imageScale=${IMAGE_SCALE}`,
  };
}

/** Shows something, and says what. @throws NotShown, or an error that says what is wrong */
type Row = (check: ReturnType<typeof checkOf>) => Promise<string>;

/** AIA 4500, a channel that few look at. */
const SOURCE_ID = 17;
const SIDE = 128;
/** As many as a movie needs. */
const IMAGES = 4;
const CADENCE_MS = 60_000;

export interface CheckedRow {
  readonly name: string;
  /** `not shown`: what this service cannot show, or what an earlier failure prevents. */
  readonly outcome: 'ok' | 'failed' | 'not shown';
  readonly detail: string;
}

/** Status of GET of a path as it is written, which fetch would make canonical. */
async function statusOf(serviceUrl: string, path: string): Promise<number> {
  const { protocol, hostname, port } = new URL(serviceUrl);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const [response] = (await once(send({ hostname, port, path, agent: false }).end(), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}

/** Programs as zones refuse them: scripts by Bot Fight Mode and Browser Integrity Check, assistants by the blocking of AI bots. */
const PROGRAMS = ['python-requests/2.32.3', 'Python-urllib/3.12', 'curl/8.5.0', 'Java/21', 'GPTBot/1.2', 'ClaudeBot/1.0'];

const VIEW = { layers: `[${SOURCE_ID},1,100]`, imageScale: '24', x0: '0', y0: '0', width: '128', height: '128' };

/** What is shown, in this order. */
const ROWS: Readonly<Record<string, Row>> = {
  /** Whether the service is well, and whether the address of the client survives the way through the cache. */
  health: async (check) => {
    const { status, version, client } = await check.json<{ status: string; version: string; client?: boolean }>('/health');
    assert(status === 'ok', `status ${status}: see /health`);
    assert(client, 'the service behind the cache does not know who the client is, so that all share one rate limit');
    return `version ${version}, and the client is known behind the cache`;
  },

  'spellings of paths': async (check) => {
    for (const path of ['//admin/images', '/%61dmin/images', '/\\admin/images', '/admin//images']) {
      const status = await statusOf(check.options.serviceUrl, path);
      assert(![200, 401, 403].includes(status), `status ${status} for ${path}: a rule on /admin does not see it`);
    }
    const dots = await statusOf(check.options.serviceUrl, '/v2/../admin/images');
    const meaning = dots === 401 ? 'resolved before the Worker: leave the normalisation of URLs on' : 'refused';
    return `other spellings of /admin are refused; dot segments: ${dots}, ${meaning}`;
  },

  programs: async (check) => {
    const refused: string[] = [];
    for (const name of PROGRAMS)
      for (const [path, method] of [
        ['/v2/getStatus/', 'GET'],
        ['/llms.txt', 'GET'],
        ['/mcp', 'POST'],
      ] as const) {
        const response = await check.whole(path, { method, headers: { 'User-Agent': name } });
        // Every response of the Worker has it, a refusal of the platform has not.
        if (!response.headers.has('X-Request-Id')) refused.push(`${name} at ${path} (${response.status})`);
      }
    assert(refused.length === 0, `refused before the service: ${refused.join(', ')}; docs/operate.md, "The first day"`);
    return `${PROGRAMS.length} programs reach the API, /llms.txt and /mcp`;
  },

  'static files': async (check) => {
    const { status, headers } = await check.fetched('/explorer/icon.svg');
    const missing = ['Strict-Transport-Security', 'X-Content-Type-Options', 'Content-Security-Policy'].filter(
      (name) => !headers.has(name),
    );
    assert(status === 200 && missing.length === 0, `status ${status}, without ${missing.join(', ') || 'nothing'}`);
    return 'with the security headers of the Worker';
  },

  'page at the edge': async (check) => {
    const look = () => check.whole('/', { headers: { Accept: 'text/html' } });
    const first = await look();
    assert(first.status === 200, `status ${first.status}`);
    if (/^private/.test(first.headers.get('Cache-Control') ?? ''))
      throw new NotShown('without PUBLIC_ORIGIN the page names the host of the request, and no cache keeps it');
    return check.until(check.options.waits.cacheMs, 'no hit', async () => {
      const { isHit, headers } = await look();
      return isHit ? `Cf-Cache-Status ${headers.get('Cf-Cache-Status')}` : null;
    });
  },

  upload: async (check) => {
    for (let i = 0; i < IMAGES; i += 1) {
      const shot = { sourceId: SOURCE_ID, timeMs: check.startMs + i * CADENCE_MS, size: SIDE };
      const name = archivePath(shot).split('/').at(-1)!;
      check.ids.push(await check.upload(name, await imageFile(shot)));
    }
    return `${IMAGES} synthetic images of ${new Date(check.startMs).toISOString()}`;
  },

  /** Another address of a tile: its parameters in another order and notation, and an unknown one. */
  'cache hit by canonical key': async (check) => {
    const tile = check.tile();
    const other = `/v2/getTile/?unknown=1&imageScale=${IMAGE_SCALE}0&y=0&x=0&id=${check.firstId()}`;
    const first = await check.whole(tile);
    assert(first.status === 200, `status ${first.status} for the tile`);
    return check.until(check.options.waits.cacheMs, 'no hit', async () => {
      const { isHit, etag } = await check.whole(other);
      assert(etag === first.etag, 'another ETag under the other address');
      return isHit ? 'another order, notation and an unknown parameter: not drawn again' : null;
    });
  },

  /** HEAD, a part, and a condition, as they follow from the whole tile. */
  'HEAD, Range, 304': async (check) => {
    const ask = (init?: RequestInit) => check.whole(check.tile(), init);
    const whole = await ask();
    const [head, part] = [await ask({ method: 'HEAD' }), await ask({ headers: { Range: 'bytes=100-199' } })];
    const unchanged = await ask({ headers: { 'If-None-Match': whole.etag } });
    const length = Number(head.headers.get('Content-Length') ?? whole.bytes.length);
    const isGood = {
      HEAD: head.status === 200 && head.bytes.length === 0 && head.etag === whole.etag && length === whole.bytes.length,
      Range: part.status === 206 && part.bytes.equals(whole.bytes.subarray(100, 200)),
      304: unchanged.status === 304,
    };
    const wrong = Object.entries(isGood).flatMap(([name, good]) => (good ? [] : name));
    assert(wrong.length === 0, `wrong: ${wrong.join(', ')}, of a tile of ${whole.bytes.length} bytes`);
    return `of a tile of ${whole.bytes.length} bytes, ETag ${whole.etag}`;
  },

  /** A session as desktop clients open it: a channel with a first part of the image, then the rest through the channel. */
  JPIP: async (check) => {
    const address = await (await check.fetched(`/v2/getJP2Image/?id=${check.firstId()}&jpip=true`)).text();
    const path = new URL(address.replace(/^jpips?:/, 'http:')).pathname;
    const window = `fsiz=${SIDE},${SIDE}&rsiz=${SIDE},${SIDE}&roff=0,0`;
    const opened = await check.whole(`${path}?${window}&cnew=http&len=2000`);
    const cid = /\bcid=([^,]+)/.exec(opened.headers.get('JPIP-cnew') ?? '')?.[1];
    assert(opened.status === 200 && cid !== undefined, `status ${opened.status}, no channel`);
    const rest = await check.whole(`${path}?${window}&cid=${cid}&len=200000`);
    await check.whole(`${path}?cclose=${cid}`);
    assert(rest.status === 200 && rest.bytes.length > 0, `status ${rest.status} for the rest`);
    return `${opened.bytes.length} bytes, then ${rest.bytes.length} through the channel`;
  },

  movie: async (check) => {
    if (!check.options.hasMovies) throw new NotShown('the deployment has no movie workers');
    if (check.ids.length < IMAGES) throw new NotShown('the images were not uploaded');
    const query = new URLSearchParams({
      startTime: new Date(check.startMs - 1000).toISOString(),
      endTime: new Date(check.startMs + IMAGES * CADENCE_MS).toISOString(),
      ...VIEW,
    });
    const startedMs = performance.now();
    const { id } = await check.json<{ id: string }>(`/v2/queueMovie/?${query}`);
    await check.until(check.options.waits.movieMs, 'not built', async () => {
      const { status, statusLabel } = await check.json<{ status: number; statusLabel: string }>(
        `/v2/getMovieStatus/?id=${id}&format=mp4&wait=10`,
      );
      assert(status <= 2, `status ${statusLabel}`);
      return status === 2 ? status : null;
    });
    const file = (await check.whole(`/v2/downloadMovie/?id=${id}&format=mp4`)).bytes;
    assert(file.toString('latin1', 4, 8) === 'ftyp', 'the file is no MP4');
    return `${file.length} bytes of MP4 after ${Math.round((performance.now() - startedMs) / 1000)} s`;
  },

  /** The limit of statements of D1 in an invocation: that of 1000 which D1 documents, or that of subrequests. */
  'statements of an invocation': async (check) => {
    type Result = { readonly ran: number; readonly failed: string | null };
    const result = await check.admin<Result>('/statements', { method: 'POST' }, 1).catch(ofStatus(403, null));
    if (!result) throw new NotShown('the token does not have the scope all');
    const { ran, failed } = result;
    if (isLoopback(new URL(check.options.serviceUrl)))
      throw new NotShown(`${ran} ran in one invocation, because the local runtime has no limit`);
    return failed === null ? `${ran} ran in one invocation: only subrequests are limited` : `${ran} ran, and then ${failed}`;
  },

  /** Whether each kind of database takes writes, as it does while its schema fits the Worker: that of images has taken the upload. */
  schema: async (check) => {
    check.firstId();
    const view = new URLSearchParams({ date: new Date(check.startMs).toISOString(), ...VIEW });
    const { id } = await check.json<{ id: number }>(`/v2/takeScreenshot/?${view}`);
    assert(Number.isInteger(id), `no screenshot was stored, got ${id}`);
    return 'images and screenshots are stored';
  },

  /** A purge by an operator, which also writes to the database of operators. */
  'purge by operators': async (check) => {
    const tile = check.tile();
    for (let i = 0; i < 2; i += 1) await check.whole(tile);
    await check.admin('/purge', posted({ tags: [imageTag({ sha256: check.digests[0]! })] }));
    return check.until(check.options.waits.purgeMs, 'the tile came from the cache', async () =>
      (await check.whole(tile)).isHit ? null : 'POST /admin/purge: the tile is drawn again',
    );
  },

  /** All names that were sent, because a response may have been lost. A name that fails does not keep the others in the archive. */
  withdrawal: async (check) => {
    if (check.sent.length === 0) throw new NotShown('no image was uploaded');
    const withdraw = (name: string) =>
      check.admin(`/images/${name}`, { method: 'DELETE' }).then(() => true, ofStatus(404, false));
    const all = await Promise.allSettled(check.sent.map(withdraw));
    const left = all.flatMap((each, i) => (each.status === 'rejected' ? `${check.sent[i]} (${each.reason.message})` : []));
    assert(left.length === 0, `not withdrawn: ${left.join(', ')}; repeat DELETE /admin/images/<name> for each`);
    return `${all.filter((each) => each.status === 'fulfilled' && each.value).length} images`;
  },

  /** The tile is in the cache, from the rows before. */
  'purge by tag': async (check) => {
    const tile = check.tile();
    const startedMs = performance.now();
    return check.until(check.options.waits.purgeMs, 'the withdrawn image was still shown', async () => {
      const { status } = await check.whole(tile);
      return status === 410 ? `410 after ${Math.round((performance.now() - startedMs) / 1000)} s` : null;
    });
  },
};

export const ROW_NAMES: readonly string[] = Object.keys(ROWS);

/** Drives the service row by row. What was uploaded is withdrawn, whatever fails before. */
export async function* checkService(options: CheckOptions): AsyncGenerator<CheckedRow> {
  const check = checkOf(options);
  for (const [name, row] of Object.entries(ROWS)) {
    if (options.signal.aborted && name !== 'withdrawal') continue;
    try {
      yield { name, outcome: 'ok', detail: await row(check) };
    } catch (error) {
      const { message } = error as Error;
      yield { name, outcome: error instanceof NotShown ? 'not shown' : 'failed', detail: message };
    }
  }
}

const NAME_WIDTH = Math.max(...ROW_NAMES.map(({ length }) => length));

export const checkedLine = ({ name, outcome, detail }: CheckedRow): string =>
  `${name.padEnd(NAME_WIDTH)}  ${outcome.padEnd('not shown'.length)}  ${detail}`;
