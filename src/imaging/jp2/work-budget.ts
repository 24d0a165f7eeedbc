// Bounds the work that the headers of a codestream may cause, before any packet is read.
import { Jp2Error } from './errors.ts';
import { MAX_CODEBLOCK_VISITS, MAX_PACKETS, MAX_PROGRESSION_STEPS, MAX_RESOLUTION_LEVELS } from './limits.ts';
import type { ProgressionVolume, TileParameters } from './markers.ts';
import { codeblocksPerPrecinct, type TileComponent } from './structure.ts';

/** Budget of one codestream. Its methods throw a Jp2Error (too-large) when their limit is exceeded. */
export class WorkBudget {
  readonly #spent = new Map<string, number>();

  #spend(what: string, amount: number, limit: number): void {
    const total = (this.#spent.get(what) ?? 0) + amount;
    if (total > limit) throw new Jp2Error('too-large', `The codestream has more than ${limit} ${what}.`);
    this.#spent.set(what, total);
  }

  /** To be called before the geometry of a tile is computed. */
  openTile(parameters: TileParameters): void {
    const levels = parameters.coding.reduce((sum, coding) => sum + coding.levels + 1, 0);
    this.#spend('resolution levels', levels, MAX_RESOLUTION_LEVELS);
  }

  /** To be called before the packets of a tile are read. */
  openPackets(components: readonly TileComponent[], layers: number): void {
    for (const tc of components) {
      this.#spend('packets', tc.precinctCount * layers, MAX_PACKETS);
      for (const r of tc.resolutions) {
        const visits = r.precinctsAcross * r.precinctsDown * codeblocksPerPrecinct(r) * layers;
        this.#spend('code-blocks times layers', visits, MAX_CODEBLOCK_VISITS);
      }
    }
  }

  /** To be called before one progression is walked. Every step of its loops counts, with or without a packet. */
  openProgression(components: readonly TileComponent[], volume: ProgressionVolume): void {
    for (const tc of components.slice(volume.component0, volume.component1)) {
      for (const r of tc.resolutions.slice(volume.resolution0, volume.resolution1)) {
        const steps = (1 + r.precinctsAcross * r.precinctsDown) * (1 + volume.layer1);
        this.#spend('progression steps', steps, MAX_PROGRESSION_STEPS);
      }
    }
  }
}
