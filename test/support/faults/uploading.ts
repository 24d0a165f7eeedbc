// Uploads, replacements and withdrawals of one file name, and what the archive may hold of it after each answer.
import { sha256Hex } from '../../../src/util/bytes.ts';
import { type Answer, type FaultedService, jsonOf } from './faulted-service.ts';
import { SCALE } from './reading.ts';
import type { SeededFaults } from './seeded-faults.ts';

/** Attempts of a client that is told to try again. */
const ATTEMPTS = 3;
export const OPERATOR = { Authorization: 'Bearer a-token-for-tests-only' };

/** A version of a file. */
export interface Version {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

export async function versionOf(base64: string): Promise<Version> {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  return { bytes, sha256: await sha256Hex(bytes) };
}

interface UploadedImage {
  readonly id: number;
  readonly sha256: string;
}

export class UploadedName {
  readonly name: string;
  readonly versions: readonly Version[];
  /** SHA-256 of what the archive may hold; null: no image. */
  possible = new Set<string | null>([null]);
  /** Contents of the ids that answers have named. */
  readonly contents = new Map<number, string>();
  /** Digests of the tiles of the contents: those of equal contents are equal. */
  readonly #pictures = new Map<string, string>();
  readonly #service: FaultedService;

  constructor(service: FaultedService, name: string, versions: readonly Version[]) {
    this.#service = service;
    this.name = name;
    this.versions = versions;
  }

  /** One change, repeated like a client does that gets an error; or a look at the image. */
  async step(faults: SeededFaults): Promise<void> {
    const chance = faults.random();
    if (chance < 0.2) return this.#withdraw();
    if (chance < 0.35) return void (await this.look());
    if (chance < 0.5 && this.contents.size > 0)
      return this.expectPicture(faults.pick([...this.contents.keys()]), [200, 410, 503]);
    const version = faults.pick(this.versions);
    // A message that is delivered twice: both at once.
    await this.#upload(version, chance < 0.7 ? 2 : 1);
  }

  async #upload(version: Version, atOnce: number): Promise<void> {
    const put = () =>
      this.#service.send(`/admin/images/${this.name}?replace=true&restore=true`, {
        method: 'PUT',
        headers: OPERATOR,
        body: version.bytes,
      });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answers = await Promise.all(Array.from({ length: atOnce }, put));
      for (const answer of answers) this.#expectKnownStatus('PUT', answer, [200, 201, 503]);
      const accepted = answers.filter(({ status }) => status < 300);
      this.possible = accepted.length > 0 ? new Set([version.sha256]) : this.possible.add(version.sha256);
      for (const answer of accepted) this.#note(jsonOf<UploadedImage>(answer), version.sha256);
      if (accepted.length > 0) return;
    }
  }

  async #withdraw(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answer = await this.#service.send(`/admin/images/${this.name}`, { method: 'DELETE', headers: OPERATOR });
      this.#expectKnownStatus('DELETE', answer, [200, 404, 503]);
      if (answer.status === 404)
        this.#service.expect(this.possible.has(null), `${this.name} is unknown to DELETE, but must be there`);
      if (answer.status < 500) {
        this.possible = new Set([null]);
        return;
      }
      this.possible.add(null);
    }
  }

  /** The image that the archive has now, which must be a possible one; undefined when an error hides it. */
  async look(): Promise<UploadedImage | null | undefined> {
    const answer = await this.#service.send(`/admin/images/${this.name}`, { headers: OPERATOR });
    this.#expectKnownStatus('GET', answer, [200, 404, 503]);
    if (answer.status === 503) return undefined;
    const image = answer.status === 200 ? jsonOf<UploadedImage>(answer) : null;
    const found = image?.sha256 ?? null;
    this.#service.expect(this.possible.has(found), `${this.name} is ${found}, expected one of ${[...this.possible].join(', ')}`);
    this.possible = new Set([found]);
    if (image) this.#note(image, image.sha256);
    return image;
  }

  /** Expects one of the statuses for the tile of an image that the archive has or had, and the picture of its content. */
  async expectPicture(id: number, statuses: readonly number[]): Promise<void> {
    const answer = await this.#service.send(`/v2/getTile/?id=${id}&x=0&y=0&imageScale=${SCALE}`);
    this.#service.expect(statuses.includes(answer.status), `the tile of ${id} of ${this.name} is ${answer.status}`);
    if (!answer.isGood) return;
    const [content, digest] = [this.contents.get(id)!, await sha256Hex(answer.body)];
    const known = this.#pictures.get(content) ?? digest;
    this.#service.expect(digest === known, `the tile of ${id} of ${this.name} is another picture`);
    this.#pictures.set(content, known);
  }

  #note({ id, sha256 }: UploadedImage, expected: string): void {
    this.#service.expect(sha256 === expected, `an answer about ${this.name} has another content than was sent`);
    const known = this.contents.get(id);
    this.#service.expect(known === undefined || known === sha256, `the id ${id} has two contents`);
    this.contents.set(id, sha256);
  }

  #expectKnownStatus(method: string, { status, body }: Answer, statuses: readonly number[]): void {
    const text = new TextDecoder().decode(body.subarray(0, 200));
    this.#service.expect(statuses.includes(status), `${method} ${this.name}: status ${status}: ${text}`);
  }
}
