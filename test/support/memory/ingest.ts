// Ports of ingest in memory, which can simulate a crash before or after each call.
import { createHash } from 'node:crypto';
import type { ArchivedImage, WithdrawnImage } from '../../../src/domain/image.ts';
import { imageId } from '../../../src/domain/shards.ts';
import type { ImageRegister, Registration, Upload, UploadJournal, Withdrawal } from '../../../src/ports/images.ts';
import type { ImmutableObjects } from '../../../src/ports/objects.ts';
import type { IngestPorts } from '../../../src/services/images/ingest.ts';

/** Simulated crash of the isolate. */
export class Crash extends Error {}

export type Step =
  | 'inspect'
  | 'begin'
  | 'create jp2'
  | 'create sidecar'
  | 'add'
  | 'withdraw'
  | 'purge'
  | 'delete'
  | 'end'
  | 'leave'
  | 'write facts'
  | 'delete facts';

export class MemoryIngest implements ImmutableObjects, UploadJournal, ImageRegister {
  readonly rows: ArchivedImage[] = [];
  /** Files and sidecars. */
  readonly objects = new Map<string, Uint8Array>();
  /** Facts of images. */
  readonly facts = new Map<number, ArchivedImage>();
  readonly uploads = new Map<string, Upload>();
  readonly sweeping = new Set<string>();
  readonly withdrawn: WithdrawnImage[] = [];
  readonly purged = new Set<string>();
  nowMs = Date.UTC(2024, 0, 1);
  /** Crash before the step, or after it took effect. */
  crash: { readonly step: Step; readonly when: 'before' | 'after' } | null = null;

  get ports(): IngestPorts {
    const index = {
      byFileName: async (fileName: string) => this.rows.find((row) => row.fileName === fileName) ?? null,
      withdrawnByFileName: async (fileName: string) => this.withdrawn.filter((image) => image.fileName === fileName),
    };
    return {
      index,
      register: this,
      journal: this,
      objects: this,
      facts: {
        write: (image) => this.#step('write facts', () => void this.facts.set(image.id, image)),
        delete: (id) => this.#step('delete facts', () => void this.facts.delete(id)),
      },
      caches: {
        purge: (tags) =>
          this.#step('purge', () => {
            for (const tag of tags) this.purged.add(tag);
          }),
      },
      inspect: (jp2) => this.inspect(jp2),
      coefficients: { makeFirst: async () => undefined },
      clock: () => this.nowMs,
      sidecarVersion: 1,
    };
  }

  async #step<T>(step: Step, work: () => T): Promise<T> {
    await Promise.resolve();
    if (this.crash?.step === step && this.crash.when === 'before') throw new Crash();
    const result = work();
    if (this.crash?.step === step) throw new Crash();
    return result;
  }

  /** Files in these tests are `<width>x<height>` followed by the XML box. */
  inspect(jp2: Uint8Array) {
    return this.#step('inspect', () => {
      const [, width, height, xml] = /^(\d+)x(\d+)([\s\S]*)$/.exec(new TextDecoder().decode(jp2))!;
      const sidecar = new Uint8Array(createHash('sha1').update(jp2).digest());
      return { xml: xml!, sidecar, width: Number(width), height: Number(height) };
    });
  }

  create(key: string, body: Uint8Array) {
    return this.#step(key.startsWith('jp2/') ? 'create jp2' : 'create sidecar', () => {
      const present = this.objects.get(key);
      if (present) return Buffer.compare(present, body) === 0 ? ('same' as const) : ('different' as const);
      this.objects.set(key, body);
      return 'created' as const;
    });
  }

  delete(key: string) {
    return this.#step('delete', () => void this.objects.delete(key));
  }

  begin({ key, fileName }: Upload) {
    return this.#step('begin', () => {
      if (this.sweeping.has(key)) return false;
      this.uploads.set(key, { key, fileName });
      return true;
    });
  }

  end(key: string) {
    return this.#step('end', () => {
      this.uploads.delete(key);
      this.sweeping.delete(key);
    });
  }

  leave({ key, fileName }: Upload) {
    return this.#step('leave', () => {
      if (!this.sweeping.has(key)) this.uploads.set(key, { key, fileName });
    });
  }

  async recorded(keys: readonly string[]) {
    return new Set(keys.filter((key) => this.uploads.has(key)));
  }

  async takeAbandoned() {
    for (const key of this.uploads.keys()) this.sweeping.add(key);
    return [...this.uploads.values()];
  }

  withdraw({ id, atMs }: Withdrawal) {
    return this.#step('withdraw', () => this.#move(id, atMs));
  }

  #move(id: number, withdrawnAtMs: number): void {
    const i = this.rows.findIndex((row) => row.id === id);
    if (i < 0) return;
    const [{ sourceId, takenAtMs, fileName, key }] = this.rows.splice(i, 1) as [ArchivedImage];
    this.withdrawn.unshift({ id, sourceId, takenAtMs, fileName, key, withdrawnAtMs, replacedBy: null });
  }

  add(image: Omit<ArchivedImage, 'id'>, replaced: Withdrawal | null = null) {
    return this.#step('add', (): Registration => {
      const isFree = this.rows.every(
        ({ id, sourceId, takenAtMs }) => id === replaced?.id || sourceId !== image.sourceId || takenAtMs !== image.takenAtMs,
      );
      if (replaced && isFree) this.#move(replaced.id, replaced.atMs);
      const present = this.rows.find(
        (row) => row.fileName === image.fileName || (row.sourceId === image.sourceId && row.takenAtMs === image.takenAtMs),
      );
      if (present?.fileName === image.fileName && present.sha256 === image.sha256) return { outcome: 'known', image: present };
      if (present)
        return { outcome: 'conflict', reason: `Expected no image at this time, got ${present.fileName}.`, image: present };
      const added = { ...image, id: imageId(this.rows.length + this.withdrawn.length + 1, image.sourceId) };
      this.rows.push(added);
      return { outcome: 'added', image: added };
    });
  }
}
