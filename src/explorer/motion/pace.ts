// How fine moving pictures are drawn: without a graphics processor, the pixels of the canvas limit their rate.

/**
 * Pixels of the canvas per pixel of the screen, in width, where drawings are slow. Real images then have a structural similarity to their tiles
 * of at least 0.975; with 3/4 it was 0.964 where this had 0.971 (`npm run bench -- play`).
 */
const COARSE = 7 / 8;
/** Longest time of a drawing, from one frame of the screen to the next, at all pixels: play has up to 30 images a second. */
const BUDGET_MS = 1000 / 30;
/** Drawings whose median counts, because single ones wait for other work of the page. */
const MEASURED = 5;

export class Pace {
  density = 1;
  #times: number[] = [];

  took(ms: number): void {
    this.#times.push(ms);
    if (this.#times.length < MEASURED) return;
    const median = this.#times.toSorted((a, b) => a - b)[MEASURED >> 1]!;
    this.#times = [];
    if (median > BUDGET_MS) this.density = COARSE;
  }

  reset(): void {
    this.density = 1;
    this.#times = [];
  }
}
