// Visitors of a world: movies and their sharing, screenshots and links.
import { createHash } from 'node:crypto';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { SCALE, STABLE, type WorldFile } from '../files.ts';
import type { Checks } from '../statements.ts';
import { CLIENT_COST, type World } from '../world.ts';
import { type Answer, BROKEN, dishonestyOf, jsonOf, textOf } from './answers.ts';

const FIELD = `imageScale=${SCALE}&x0=0&y0=0&width=64&height=64`;
/** Scales of the movies of a flood, beside those of other clients. */
const FLOOD = Array.from({ length: 9 }, (_, i) => 0.1 * (i + 1));
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** A movie of the images that stay. */
export function moviePath(number: number): string {
  const [first, last] = [STABLE[0]!, STABLE.at(-1)!];
  const field = `imageScale=${38 + number}&x1=-1200&y1=-1200&x2=1200&y2=1200`;
  return `/v2/queueMovie/?startTime=${first.date}&endTime=${last.date}&layers=[${first.sourceId},1,100]&events=&eventsLabels=false&${field}`;
}

export class Visitors {
  readonly movies = new Set<string>();
  /** Cookies of the browsers that share movies, by movie. */
  readonly shares = new Map<string, string>();
  /** Screenshots by id, with the path of the same picture. */
  readonly screenshots = new Map<number, string>();
  readonly links = new Map<string, string>();
  isRestored = false;
  isDatabaseRestored = false;
  protected readonly world: World;
  protected readonly checks: Checks;
  /** Times at which movies of a flood were accepted. */
  readonly #flooded: number[] = [];
  /** A movie that was finished before the history began. */
  readonly #finished: string;

  constructor(world: World, checks: Checks, finished: string) {
    this.world = world;
    this.checks = checks;
    this.#finished = finished;
  }

  /** Sends a request, and checks that its answer is right or honest. */
  async send(path: string, init: RequestInit & { readonly centre?: number; readonly client?: string } = {}): Promise<Answer> {
    const answer = await this.world.request(path, init);
    if (answer.headers.get('X-World') === BROKEN || answer.status < 400) return answer;
    // Until the reconciliation, a restored database has rows of images that were withdrawn after its copy.
    const defect = this.isRestored && textOf(answer).includes('"errno":50') ? null : dishonestyOf(answer);
    this.checks.expect(
      'honest',
      defect === null,
      () => `${init.method ?? 'GET'} ${path}: ${defect}: ${textOf(answer).slice(0, 300)}`,
    );
    return answer;
  }

  protected async take({ sourceId, date }: WorldFile): Promise<void> {
    const scene = `date=${date}&layers=[${sourceId},1,100]&${FIELD}`;
    const answer = await this.send(`/v2/takeScreenshot/?${scene}`);
    if (!isOk(answer)) return;
    const { id } = jsonOf<{ id: number }>(answer);
    this.checks.expect('meaning', !this.screenshots.has(id), () => `two screenshots have the id ${id}.`);
    this.screenshots.set(id, `/v2/takeScreenshot/?${scene}&display=true`);
  }

  protected async download(place: number): Promise<void> {
    const id = [...this.screenshots.keys()][place % Math.max(1, this.screenshots.size)];
    if (id === undefined) return;
    const answer = await this.send(`/v2/downloadScreenshot/?id=${id}`);
    if (answer.headers.get('X-World') === BROKEN) return;
    const isThere = [200, 503].includes(answer.status) || this.isRestored;
    this.checks.expect('served', isThere, () => `the screenshot ${id} is ${answer.status}.`);
    if (answer.status !== 200) return;
    const same = await this.send(this.screenshots.get(id)!);
    if (same.status !== 200) return;
    this.checks.expect(
      'meaning',
      digestOf(same.body) === digestOf(answer.body),
      () => `the screenshot ${id} is another picture.`,
    );
  }

  protected async shorten(number: number): Promise<void> {
    const address = `?date=2024-05-10T12:00:00Z&number=${number}`;
    const answer = await this.send(`/v2/shortenURL/?queryString=${encodeURIComponent(address)}`);
    if (!isOk(answer)) return;
    const { hash } = jsonOf<{ data: { hash: string } }>(answer).data;
    const known = this.links.get(hash);
    this.checks.expect('meaning', known === undefined || known === address, () => `the link ${hash} has two addresses.`);
    this.links.set(hash, address);
  }

  /** Many movies of one client at once, of which its share is accepted. */
  protected async flood(): Promise<void> {
    await Promise.all(FLOOD.map((scale) => this.queue(scale, { client: '10.9.0.1' })));
    const within = this.#flooded.filter((atMs) => atMs > this.world.nowMs - HOUR_MS).length;
    const isRight = 10 * within <= CLIENT_COST || this.isDatabaseRestored;
    this.checks.expect('share', isRight, () => `${within} movies of one client were accepted within an hour.`);
  }

  /** Shares the finished movie at the video host, with the permission of its user. */
  protected async share(): Promise<void> {
    const id = this.#finished;
    const begun = await this.send(`/v2/getVideoHostAuth/?id=${id}&title=${id}&description=&tags=`);
    if (begun.status !== 302) return;
    const [cookie = ''] = begun.headers.get('Set-Cookie')!.split(';');
    const back = this.world.videoHost.host.allow(begun.headers.get('Location')!);
    const { status, headers } = await this.world.request(back.pathname + back.search, { headers: { Cookie: cookie } });
    const isHonest = status < 500 || [502, 503].includes(status) || headers.get('X-World') === BROKEN;
    this.checks.expect('honest', isHonest, () => `the permission to share ${id} is answered with status ${status}.`);
    if (status === 303) this.shares.set(id, cookie);
  }

  protected async queue(number: number, init: { readonly client?: string } = {}): Promise<void> {
    const askedMs = this.world.nowMs;
    // In place of one of the movies, one that is shared is built again.
    const isAgain = number === 1 && this.shares.size > 0;
    const answer = await this.send(isAgain ? `/v2/reQueueMovie/?id=${this.#finished}&force=true` : moviePath(number), init);
    if (!isOk(answer)) return;
    const { id } = jsonOf<{ id?: string }>(answer);
    this.checks.expect('ends', id !== undefined, () => `queueMovie answers ${textOf(answer).slice(0, 200)}.`);
    if (id === undefined) return;
    this.movies.add(id);
    if (init.client) this.#flooded.push(askedMs);
  }

  protected async status(place: number): Promise<void> {
    const id = [...this.movies.keys()][place % Math.max(1, this.movies.size)];
    if (id === undefined) return;
    const answer = await this.send(`/v2/getMovieStatus/?id=${id}&format=mp4`);
    if (answer.headers.get('X-World') === BROKEN) return;
    const isKnown = [200, 503].includes(answer.status) || this.isRestored;
    this.checks.expect('ends', isKnown, () => `the status of the movie ${id} is ${answer.status}.`);
  }
}
