// All clients of a world, and the run of an action: viewers of images, and operators.
import { CONTENTS, FOUND, PATHS, pathsOf, STABLE, type WorldFile } from '../files.ts';
import type { Content, Contents } from '../platform/d1.ts';
import type { Checks } from '../statements.ts';
import type { World } from '../world.ts';
import { type Action, LETTERS, type Letter } from './actions.ts';
import { type Answer, BROKEN, jsonOf } from './answers.ts';
import { Archive, GONE_MS, Name } from './archive.ts';
import { moveShard, pauseWebhooks } from './shard-move.ts';
import { expectStream } from './streams.ts';
import { digestOf, isOk, Visitors } from './visitors.ts';

/** The shard of the uploads. */
const MOVED = CONTENTS[0]!.sourceId;
const RECEIVER = 'https://receiver.example.org/hook';
/** A small picture, which costs a tenth of a tile. */
export const PICTURE = (id: number) => `/v2/downloadImage/?id=${id}&width=48&type=png`;
/** Paths that are compared at the end. */
const COMPARED = 6;

/** The archive as histories find it. */
export interface Beginning {
  readonly contents: Contents;
  readonly objects: World['bucket']['objects'];
  readonly storages: readonly (readonly [string, readonly (readonly [string, unknown])[]])[];
  readonly stable: readonly { readonly id: number; readonly sha256: string }[];
  /** Id of a finished movie. */
  readonly movie: string;
}

/** A PNG from its pixels on: the text before them names the id. Another file as it is. */
const pixelsOf = (file: Uint8Array) => file.subarray(Math.max(0, Buffer.from(file).indexOf('IDAT')));

interface Viewing {
  /** Those that the answer may have. */
  readonly statuses?: readonly number[];
  readonly centre?: number;
}

export class Clients extends Visitors {
  readonly archive: Archive;
  /** Ids of images that were added after the webhook was registered. */
  readonly toAnnounce = new Set<number>();
  /** Ids of images before the webhook, those that a restored database has lost among them. */
  #beforeWebhook: ReadonlySet<number> = new Set();
  readonly put = new Set<number>();
  hasWebhook = false;
  hasLostRows = false;
  isMoving = false;
  hasMoved = false;
  /** Digests of responses about images that stay. */
  readonly #right = new Map<string, string>();
  /** Paths of pictures and searches so far. */
  readonly #paths = new Set<string>();
  /** Changes to repeat, by names. */
  readonly #failed = new Map<Letter, () => Promise<void>>();
  /** Backups: at first those of the beginning. */
  readonly #saved: Map<string, Content>;
  #sequences: World['storages'];

  constructor(world: World, checks: Checks, { contents, storages, stable, movie }: Beginning) {
    super(world, checks, movie);
    this.#saved = new Map(Object.entries(contents));
    this.#sequences = storagesOf(storages);
    const names = LETTERS.map((letter, i) => new Name(letter, CONTENTS[2 * i]!.name));
    this.archive = new Archive(checks, names);
    for (const { id, sha256 } of stable) this.archive.note(id, { letter: 'stable' }, sha256);
  }

  /** Runs an action to its end. */
  async run(action: Action): Promise<void> {
    const world = this.world;
    // Operators upload and withdraw nothing from the beginning of a move on.
    if (this.isMoving && ['upload', 'break off', 'withdraw'].includes(action.do)) return;
    switch (action.do) {
      case 'upload':
        return this.#upload(action.name, CONTENTS[action.content]!);
      case 'break off':
        return this.#breakOff(action.name, CONTENTS[action.content]!);
      case 'withdraw':
        return this.#withdraw(action.name);
      case 'view':
        return this.view(this.#idAt(action.id), PICTURE);
      case 'header':
        return this.view(this.#idAt(action.id), (id) => `/v2/getJP2Header/?id=${id}`);
      case 'file':
        return this.file(this.#idAt(action.id));
      case 'look':
        return void (await this.look(this.#name(action.name)));
      case 'search':
        return this.#search(STABLE[action.of]!);
      case 'jpx':
        return this.#list(CONTENTS[action.of]!);
      case 'read':
        return this.#read(STABLE[action.of]!, action.path);
      case 'stream':
        return expectStream(this.world, this.checks, STABLE[action.of]!);
      case 'screenshot':
        return this.take(STABLE[action.of]!);
      case 'old screenshot':
        return this.download(action.of);
      case 'shorten':
        return this.shorten(action.of);
      case 'movie':
        return this.queue(action.of);
      case 'movie status':
        return this.status(action.of);
      case 'put':
        return this.#put(action.of);
      case 'flood':
        return this.flood();
      case 'share':
        return this.share();
      case 'host fault':
        world.fault(`video host ${action.fault}`);
        return void world.videoHost.faults.push(action.fault);
      case 'appear':
        return world.appear(1);
      case 'mirror fault':
        if (world.mirrored) world.fault(`mirror ${action.fault}`);
        return void world.mirrored?.faults.push(action.fault);
      case 'webhook':
        return this.#register();
      case 'reconcile':
        return void (await this.reconcile(true));
      case 'index':
        return this.index();
      case 'cron':
        return world.cron();
      case 'deploy':
        return world.deploy();
      case 'move shard':
        return this.#moveShard();
      case 'rotate tokens':
        return world.rotateTokens();
      case 'roll back':
        return world.rollBack();
      case 'kill':
        return world.kill();
      case 'kill worker':
        return world.workers.kill();
      case 'end worker':
        return world.workers.end();
      case 'save':
        this.#sequences = storagesOf(world.storages);
        return void this.#saved.set(action.database, world.databases[action.database].save());
      case 'restore':
        return this.#restore(action.database);
      case 'refuse':
        world.fault('refusal');
        return void world.refusals.push(action.status);
      case 'fault': {
        const { on, kind, skip } = action;
        world.lastFaultMs = world.nowMs;
        return void world.armed.push({ on, kind, skip });
      }
      case 'outage':
        world.fault(`outage of ${action.on}`);
        return void world.outages.set(action.on, world.nowMs + action.ms);
      case 'pass':
      case 'steps':
        return;
    }
  }

  #name(letter: Letter): Name {
    return this.archive.names[LETTERS.indexOf(letter)]!;
  }

  #idAt(place: number): number {
    const ids = [...this.archive.ids.keys()];
    return ids[ids.length - 1 - (place % ids.length)]!;
  }

  async #upload(letter: Letter, file: WorldFile): Promise<void> {
    const { bytes, sha256 } = file;
    const name = this.#name(letter);
    const [settle, isWatched] = [name.change(sha256), this.hasWebhook];
    // One content is refused where it was withdrawn.
    const restore = file !== CONTENTS.at(-1);
    const answer = await this.send(`/admin/images/${name.fileName}?replace=true&restore=${restore}`, {
      method: 'PUT',
      headers: this.world.operator,
      body: bytes,
    });
    const isCertain = settle(isOk(answer), this.world.nowMs);
    this.#note(letter, answer, () => this.#upload(letter, file));
    if (!isOk(answer)) return;
    const image = jsonOf<{ id: number; sha256: string }>(answer);
    this.checks.expect('served', image.sha256 === sha256, () => `the answer for ${name.letter} names another content.`);
    this.archive.note(image.id, name, sha256);
    if (answer.status === 201 && isWatched && !this.#beforeWebhook.has(image.id)) this.toAnnounce.add(image.id);
    if (isCertain) this.archive.end(name.letter, image.id, this.world.nowMs + GONE_MS);
  }

  /** Sends the first half of a file, whose other half never comes: the archive has what it had. */
  async #breakOff(letter: Letter, { bytes }: WorldFile): Promise<void> {
    const half = bytes.subarray(0, bytes.length >> 1);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (controller.desiredSize === 1) controller.enqueue(half);
        else controller.error(new Error('The connection was lost.'));
      },
    });
    const headers = { ...this.world.operator, 'Content-Length': String(bytes.length) };
    const init = { method: 'PUT', headers, body, duplex: 'half' };
    const { fileName } = this.#name(letter);
    const answer = await this.world.request(`/admin/images/${fileName}?replace=true&restore=true`, init as RequestInit);
    this.checks.expect('whole', !isOk(answer), () => `half of a file is stored as ${letter}.`);
  }

  async #withdraw(letter: Letter): Promise<void> {
    const name = this.#name(letter);
    const before = new Set(name.possible);
    const settle = name.change(null);
    const answer = await this.send(`/admin/images/${name.fileName}`, { method: 'DELETE', headers: this.world.operator });
    this.checks.expect(
      'served',
      answer.status !== 404 || before.has(null) || this.isRestored || !settleable(answer),
      () => `${name.letter} is unknown.`,
    );
    this.#note(letter, answer, () => this.#withdraw(letter));
    if (settle(isOk(answer), this.world.nowMs)) this.archive.end(name.letter, null, this.world.nowMs + GONE_MS);
    if (!this.isRestored) return;
    // An index after a restoration brings back versions that have not been withdrawn, also where the withdrawal was not answered.
    const rows = this.world.databases.OPERATIONS.rows<{ sha256: string }>('SELECT sha256 FROM withdrawals');
    const withdrawn = new Set(rows.map(({ sha256 }) => sha256));
    for (const sha256 of name.sent) if (!withdrawn.has(sha256)) name.possible.add(sha256);
  }

  /** Notes how to repeat a change that the service did not answer, or with 5xx. */
  #note(letter: Letter, answer: Answer, repeat: () => Promise<void>): void {
    if (answer.status === 0 || answer.status >= 500 || !settleable(answer)) this.#failed.set(letter, repeat);
    else this.#failed.delete(letter);
  }

  /** Repeats such changes, as operators do before a move. @returns how many have failed again */
  async repeatFailed(): Promise<number> {
    for (const repeat of [...this.#failed.values()]) await repeat();
    return this.#failed.size;
  }

  /** The image of a name as operators see it; undefined when an error hides it. */
  async look(name: Name): Promise<{ readonly id: number; readonly sha256: string } | null | undefined> {
    const askedMs = this.world.nowMs;
    const before = new Set(name.possible);
    const answer = await this.send(`/admin/images/${name.fileName}`, { headers: this.world.operator });
    if (answer.status !== 200 && answer.status !== 404) return undefined;
    const image = answer.status === 200 ? jsonOf<{ id: number; sha256: string }>(answer) : null;
    const found = image?.sha256 ?? null;
    const isPossible = before.has(found) || name.mayBe(found, askedMs) || (this.hasMoved && this.isRestored);
    this.checks.expect(
      'served',
      isPossible,
      () => `${name.letter} is ${shortOf(found)}, and can be ${[...before].map(shortOf).join(' or ')}.`,
    );
    if (image) this.archive.note(image.id, name, image.sha256);
    return image;
  }

  /** Compares what the edge cache of each data centre has for the last paths with what the service gives. */
  async compareCached(): Promise<void> {
    for (const path of [...this.#paths].slice(-COMPARED)) {
      const { status, body } = await this.world.direct(path);
      for (const centre of [0, 1]) {
        const cached = await this.send(path, { centre });
        const isSame = cached.status === status && (status !== 200 || digestOf(cached.body) === digestOf(body));
        this.checks.expect(
          'cached',
          isSame,
          () => `${path} is ${cached.status} from the cache and ${status} without it, or has another body.`,
        );
      }
    }
  }

  /** A picture of an id: that of its content, or gone. */
  async view(id: number, pathOf: (id: number) => string, { statuses, centre }: Viewing = {}): Promise<void> {
    const known = this.archive.ids.get(id)!;
    const askedMs = this.world.nowMs;
    this.#paths.add(pathOf(id));
    const answer = await this.send(pathOf(id), centre === undefined ? {} : { centre });
    const isGone = known.goneFromMs !== null && askedMs >= known.goneFromMs && !this.isRestored;
    this.checks.expect(
      'gone',
      !isGone || answer.status !== 200,
      () => `${pathOf(id)} of ${known.name} is still served (${answer.headers.get('Cf-Cache-Status')}).`,
    );
    if (statuses && answer.headers.get('X-World') !== BROKEN)
      this.checks.expect('served', statuses.includes(answer.status), () => `${pathOf(id)} of ${known.name} is ${answer.status}.`);
    if (answer.status === 404 || answer.status === 410) return this.#isMissing(id);
    if (answer.status !== 200) return;
    const [path, digest] = [pathOf(0), digestOf(pixelsOf(answer.body))];
    const right = this.#pictureOf(known.sha256, path) ?? digest;
    this.checks.expect(
      'meaning',
      right === digest,
      () => `${pathOf(id)} of ${known.name} is another picture than its content has.`,
    );
    known.pictures.set(path, digest);
  }

  /** An id that an answer has named is served while its name certainly has it. */
  #isMissing(id: number): void {
    const { name, goneFromMs } = this.archive.ids.get(id)!;
    const owner = this.archive.names.find(({ letter }) => letter === name);
    const mayBeGone = goneFromMs !== null || !owner || owner.possible.size > 1 || this.isRestored;
    this.checks.expect('served', mayBeGone && name !== 'stable', () => `the image ${id} of ${name} is gone.`);
  }

  #pictureOf(sha256: string, path: string): string | undefined {
    for (const known of this.archive.ids.values())
      if (known.sha256 === sha256 && known.pictures.has(path)) return known.pictures.get(path);
    return undefined;
  }

  /** The file of an id: its bytes, or gone. */
  async file(id: number): Promise<void> {
    const known = this.archive.ids.get(id)!;
    const askedMs = this.world.nowMs;
    const answer = await this.send(`/v2/getJP2Image/?id=${id}`);
    if (answer.status === 404 || answer.status === 410) return this.#isMissing(id);
    if (answer.status !== 200) return;
    const isGone = known.goneFromMs !== null && askedMs >= known.goneFromMs && !this.isRestored;
    this.checks.expect('gone', !isGone, () => `the file of ${id} of ${known.name} is still served.`);
    const isWhole = digestOf(answer.body) === known.sha256;
    const length = this.archive.contentOf([...CONTENTS, ...STABLE, ...FOUND], id)?.bytes.length;
    this.checks.expect(
      'whole',
      isWhole || answer.body.length === length,
      () => `the file of ${id} has ${answer.body.length} of ${length} bytes.`,
    );
    this.checks.expect('meaning', isWhole || answer.body.length !== length, () => `the file of ${id} has another content.`);
  }

  async #search({ sourceId, date, sha256 }: WorldFile): Promise<void> {
    const path = `/v2/getClosestImage/?sourceId=${sourceId}&date=${date}`;
    this.#paths.add(path);
    const answer = await this.send(path);
    if (!isOk(answer)) return;
    const { id } = jsonOf<{ id: string }>(answer);
    const known = this.archive.ids.get(Number(id));
    this.checks.expect('served', known?.sha256 === sha256, () => `the image nearest to ${date} is ${id}.`);
  }

  /** A file of the images that are there at a time, which the end compares. */
  async #list({ sourceId, date }: WorldFile): Promise<void> {
    const path = `/v2/getJPX/?startTime=${date}&endTime=${date}&sourceId=${sourceId}`;
    this.#paths.add(path);
    await this.send(path);
  }

  /** A response about an image that stays, which is the same each time. */
  async #read(file: WorldFile, number: number): Promise<void> {
    const id = [...this.archive.ids].find(([, { sha256 }]) => sha256 === file.sha256)![0];
    const path = pathsOf(id, file)[number % PATHS]!;
    const answer = await this.send(path);
    if (answer.headers.get('X-World') === BROKEN) return;
    this.checks.expect('alone', [200, 503].includes(answer.status), () => `${path} is ${answer.status}.`);
    if (answer.status !== 200) return;
    const right = this.#right.get(path) ?? digestOf(answer.body);
    this.checks.expect('alone', right === digestOf(answer.body), () => `${path} has another body than before.`);
    this.#right.set(path, right);
  }

  async #put(number: number): Promise<void> {
    const { key, bytes } = FOUND[number]!;
    if (this.put.has(number)) return;
    this.put.add(number);
    this.world.bucket.put(key, bytes, this.world.nowMs);
  }

  async #register(): Promise<void> {
    if (this.hasWebhook || this.isRestored) return;
    const { IMAGES, IMAGES_ODD } = this.world.databases;
    const rows = [IMAGES, IMAGES_ODD].flatMap((each) => each.rows<{ id: number }>('SELECT id FROM images'));
    this.#beforeWebhook = new Set([...this.archive.ids.keys(), ...rows.map(({ id }) => id)]);
    const body = JSON.stringify({ address: RECEIVER, sources: [10] });
    const headers = { ...this.world.operator, 'Content-Type': 'application/json' };
    this.hasWebhook = isOk(await this.send('/admin/webhooks', { method: 'POST', headers, body }));
  }

  /** Resumes the webhook, which has paused if its receiver said that it is gone, or for a restoration or a move. */
  async resume(): Promise<void> {
    if (this.hasWebhook && !(this.hasMoved && this.isRestored))
      await this.send('/admin/webhooks/1/resume', { method: 'POST', headers: this.world.operator });
  }

  /** A step of the move of a shard, as docs/operate.md says: uploads stop; once none is under way and all ids are stated, it moves. */
  async #moveShard(): Promise<void> {
    const { world } = this;
    if (this.hasMoved || this.isRestored) return;
    const [isFirst, { movesAtOnce }] = [!this.isMoving, world.planted];
    this.isMoving = true;
    if (!isFirst) await this.repeatFailed();
    const uploads = world.databases.OPERATIONS.rows("SELECT key FROM uploads WHERE file_name <> ''");
    const isBusy = isFirst || uploads.length + this.#failed.size > 0 || this.archive.names.some(({ isChanging }) => isChanging);
    if (!movesAtOnce && (isBusy || !(await this.reconcile(false)) || this.hasMoved)) return;
    [this.hasMoved, this.isRestored] = [true, true];
    await moveShard(world, MOVED);
    await this.index();
  }

  /** Ends a move that has begun. A deployment comes first, because a version that was rolled back to has the earlier map. */
  async endMove(): Promise<void> {
    await this.#moveShard();
    this.checks.expect('quiet', this.hasMoved, () => 'the shard cannot move.');
    if (!this.hasMoved) return;
    this.world.deploy(0);
    await this.index();
    this.world.databases.IMAGES.run(`DELETE FROM images WHERE source_id = ${MOVED}`);
    await this.reconcile(true);
    this.isRestored = false;
    await this.resume();
  }

  /** What docs/operate.md has operators do after a restoration: a deployment, an index of all files, a comparison. */
  async followRestoration(): Promise<void> {
    this.world.deploy(0);
    await this.index();
    await this.reconcile(true);
  }

  /** `npm run index`: names every file of the bucket to the service. */
  async index(): Promise<void> {
    const files = [...this.world.bucket.objects].filter(([key]) => key.startsWith('jp2/'));
    const objects = files.map(([key, { bytes }]) => ({ path: key.slice('jp2/'.length), size: bytes.length }));
    const headers = { ...this.world.operator, 'Content-Type': 'application/json' };
    await this.send('/admin/objects', { method: 'POST', headers, body: JSON.stringify({ objects }) });
  }

  /** Compares all objects and rows; returns what does not agree, or null when an error ended it. */
  async reconcile(mend: boolean): Promise<unknown[] | null> {
    const faults: unknown[] = [];
    const headers = { ...this.world.operator, 'Content-Type': 'application/json' };
    for (let cursor: unknown = null, pages = 0; pages < 100; pages += 1) {
      const body = JSON.stringify({ cursor, mend });
      const answer = await this.send('/admin/reconciliation', { method: 'POST', headers, body });
      if (!isOk(answer)) return null;
      const step = jsonOf<{ faults: unknown[]; next: unknown }>(answer);
      faults.push(...step.faults);
      cursor = step.next;
      if (cursor === null) return faults;
    }
    return null;
  }

  async #restore(name: 'IMAGES' | 'DB'): Promise<void> {
    const content = this.#saved.get(name);
    if (!content || this.isMoving) return;
    this.world.fault(`restore ${name}`);
    // As docs/operate.md says, because the sweep would delete files of uploads whose rows are lost.
    const emptyJournal = () => this.world.databases.OPERATIONS.run("DELETE FROM uploads WHERE file_name <> ''");
    if (name === 'IMAGES') pauseWebhooks(this.world);
    if (name === 'IMAGES') emptyJournal();
    this.world.databases[name].restore(content);
    this.isRestored = true;
    if (this.world.planted.restoresSequences) {
      for (const key of [...this.world.bucket.objects.keys()].filter((each) => each.startsWith('ids/')))
        this.world.bucket.objects.delete(key);
      this.world.storages.clear();
      for (const [sequence, values] of storagesOf(this.#sequences)) this.world.storages.set(sequence, values);
    }
    if (name === 'DB') this.isDatabaseRestored = true;
    else {
      this.hasLostRows = true;
      for (const each of this.archive.names) each.disturb();
      await this.world.scheduler.turn('restored');
      emptyJournal();
    }
  }
}

const storagesOf = (given: Iterable<readonly [string, Iterable<readonly [string, unknown]>]>): World['storages'] =>
  new Map([...given].map(([name, values]) => [name, new Map(values)]));

const settleable = ({ headers }: Answer) => headers.get('X-World') !== BROKEN;
const shortOf = (sha256: string | null) => sha256?.slice(0, 8) ?? 'absent';
