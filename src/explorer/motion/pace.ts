// How fine moving pictures are drawn: without a graphics processor, the pixels of the canvas limit their rate.

/**
 * Pixels of the canvas per pixel of the screen, in width. With the last, real images have a structural similarity to their tiles of at least
 * 0.975; with 3/4 it was 0.964 where this had 0.971 (`npm run bench -- play`).
 */
const DENSITIES = [1, 7 / 8] as const;
/** Longest time of a drawing, from one frame of the screen to the next, at all pixels: play has up to 30 images a second. */
const BUDGET_MS = 1000 / 30;
/** Drawings whose median counts, because single ones wait for other work of the page. */
const MEASURED = 5;

export class Pace {
  #step = 0;
  #times: number[] = [];

  get density(): number {
    return DENSITIES[this.#step]!;
  }

  took(ms: number): void {
    this.#times.push(ms);
    if (this.#times.length < MEASURED) return;
    const median = this.#times.toSorted((a, b) => a - b)[MEASURED >> 1]!;
    this.#times = [];
    if (median > BUDGET_MS) this.#step = Math.min(this.#step + 1, DENSITIES.length - 1);
  }

  reset(): void {
    this.#step = 0;
    this.#times = [];
  }
}
