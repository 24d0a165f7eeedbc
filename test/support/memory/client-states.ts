import type { ClientStateRegister } from '../../../src/ports/sharing.ts';

/** A register of shared views in memory. */
export class MemoryClientStates implements ClientStateRegister {
  readonly uses = new Map<string, number>();

  async register(key: string, atMs: number): Promise<boolean> {
    this.uses.set(key, atMs);
    return true;
  }

  async use(key: string, nowMs: number): Promise<void> {
    this.uses.set(key, nowMs);
  }

  async unused(sinceMs: number): Promise<readonly string[]> {
    return [...this.uses].filter(([, atMs]) => atMs < sinceMs).map(([key]) => key);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.uses.delete(key);
  }
}
