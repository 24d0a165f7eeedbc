// The tables of states of spacecraft in the archive, and the solar system with them.
import { STATE_TABLES } from '../platform/limits/bodies.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { Service } from '../platform/util/service.ts';
import { SPACECRAFT, type Spacecraft } from '../sun/bodies/bodies.ts';
import { type SolarSystem, solarSystemOf } from '../sun/bodies/solar-system.ts';
import { type StateTable, tableFrom } from '../sun/bodies/state-table.ts';
import { stateTableKey } from './keys.ts';

/** Changes with the form of the stored bytes, so that objects of an older form are not read. */
const VERSION = 1;

type Loaded = { readonly etag: string; readonly table: StateTable };

export class StateTables extends Service<{
  readonly objects: Pick<ObjectStore, 'head' | 'readAll' | 'put' | 'delete'>;
  readonly clock: Clock;
  readonly log?: Log;
}> {
  #tables: ReadonlyMap<Spacecraft, Loaded> = new Map();
  #solarSystem = solarSystemOf();
  /** Time of the last look into the archive; null before the first. */
  #checkedAtMs: number | null = null;

  /** The solar system with the tables of the archive, checked once a minute. @throws Error when the archive fails before the first success */
  async solarSystem(): Promise<SolarSystem> {
    const { clock, log } = this.ports;
    if (this.#checkedAtMs !== null && clock() - this.#checkedAtMs < STATE_TABLES.freshMs) return this.#solarSystem;
    try {
      await this.#refresh();
    } catch (error) {
      if (this.#checkedAtMs === null) throw error;
      log?.({ ephemeris: String(error) });
    }
    this.#checkedAtMs = clock();
    return this.#solarSystem;
  }

  async list(): Promise<ReadonlyMap<Spacecraft, StateTable>> {
    await this.#refresh();
    return new Map([...this.#tables].map(([spacecraft, { table }]) => [spacecraft, table]));
  }

  async put(spacecraft: Spacecraft, table: StateTable): Promise<void> {
    await this.ports.objects.put(stateTableKey(VERSION, spacecraft), table.bytes(), 'application/octet-stream');
    await this.#refresh();
  }

  async delete(spacecraft: Spacecraft): Promise<void> {
    await this.ports.objects.delete(stateTableKey(VERSION, spacecraft));
    await this.#refresh();
  }

  async #refresh(): Promise<void> {
    const found = await Promise.all(SPACECRAFT.map(async (spacecraft) => [spacecraft, await this.#load(spacecraft)] as const));
    const tables = new Map(found.flatMap(([spacecraft, loaded]) => (loaded ? [[spacecraft, loaded] as const] : [])));
    const isSame =
      tables.size === this.#tables.size && [...tables].every(([name, { etag }]) => this.#tables.get(name)?.etag === etag);
    if (isSame) return;
    this.#tables = tables;
    this.#solarSystem = solarSystemOf(new Map([...tables].map(([spacecraft, { table }]) => [spacecraft, table.orbit()])));
  }

  async #load(spacecraft: Spacecraft): Promise<Loaded | null> {
    const { objects, log } = this.ports;
    const key = stateTableKey(VERSION, spacecraft);
    const object = await objects.head(key);
    if (!object) return null;
    const known = this.#tables.get(spacecraft);
    if (known?.etag === object.etag) return known;
    const bytes = await objects.readAll(key);
    const table = bytes && tableFrom(bytes);
    if (bytes && !table) log?.({ ephemeris: `The stored table of ${spacecraft} cannot be read.` });
    return table && { etag: object.etag, table };
  }
}
