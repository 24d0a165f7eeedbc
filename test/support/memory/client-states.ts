import type { ClientStateRegister } from '../../../src/ports/sharing.ts';

/** A register of shared views in memory. */
export class MemoryClientStates implements ClientStateRegister {
  readonly keys = new Set<string>();

  async register(key: string, _atMs: number, maxCount: number): Promise<boolean> {
    if (this.keys.size < maxCount) this.keys.add(key);
    return this.keys.has(key);
  }
}
