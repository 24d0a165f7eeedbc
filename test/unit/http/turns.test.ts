import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { TURNS } from '../../../src/platform/limits/admission.ts';

const it = test.extend('turns', () => new Turns());

const [HEAVY, LIGHT] = ['192.0.2.1', '192.0.2.2'];
/** Milliseconds of a step. */
const STEP = 10;

/** A request that is served until it is ended. */
function pendingRequest(turns: Turns, client: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const served = turns.serve(client, () => promise);
  return async () => {
    resolve();
    await served;
  };
}

/** Counts the steps of a client that draws without an end. */
function draw(turns: Turns, client: string): { steps: number } {
  const drawing = { steps: 0 };
  void turns.serve(client, async () => {
    for (;;) {
      await turns.turn(client, STEP);
      drawing.steps += 1;
    }
  });
  return drawing;
}

/** Steps of a drawing within `ms`. */
async function stepsIn(drawing: { steps: number }, ms: number): Promise<number> {
  const before = drawing.steps;
  await vi.advanceTimersByTimeAsync(ms);
  return drawing.steps - before;
}

describe('the turns of the clients of an isolate', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('leave a client all time when it is alone, and its share while another one that used less is served', async ({ turns }) => {
    const drawing = draw(turns, HEAVY);
    expect(await stepsIn(drawing, 1_000)).toBeGreaterThan(500);
    const end = pendingRequest(turns, LIGHT);
    // What it used before may delay it at first.
    await stepsIn(drawing, TURNS.longestWaitMs);
    const again = pendingRequest(turns, '192.0.2.3');
    const steps = await stepsIn(drawing, 1_000);
    expect(steps).toBeGreaterThan(0);
    expect(steps * STEP).toBeLessThanOrEqual(1.2 * TURNS.share * 1_000);
    await Promise.all([end(), again()]);
    expect(await stepsIn(drawing, 1_000)).toBeGreaterThan(500);
  });

  it('serve a client that has used little at once', async ({ turns }) => {
    draw(turns, HEAVY);
    await vi.advanceTimersByTimeAsync(1_000);
    const from = performance.now();
    for (let i = 0; i < 5; i += 1) await turns.serve(LIGHT, async () => undefined);
    expect(performance.now() - from).toBe(0);
  });

  it.each([
    ['requests', TURNS.requestMs, (turns: Turns) => turns.serve(HEAVY, async () => undefined)],
    ['changes', TURNS.changeMs, (turns: Turns) => turns.change(HEAVY)],
  ])('serve the %s of a client one behind the other, and refuse those that would wait for long', async (_, ms, send) => {
    const turns = new Turns();
    turns.see(LIGHT);
    const again = setInterval(() => turns.see(LIGHT), TURNS.reservedMs / 2);
    const [served, refused]: [number[], string[]] = [[], []];
    const from = performance.now();
    const requests = Array.from({ length: 400 }, () =>
      send(turns).then(
        () => served.push(performance.now() - from),
        ({ kind, retryAfterSeconds }) => refused.push(`${kind} ${retryAfterSeconds} ${performance.now() - from}`),
      ),
    );
    await vi.advanceTimersByTimeAsync(TURNS.longestLineMs);
    clearInterval(again);
    await Promise.all(requests);
    const waited = served.filter((at) => at > 0);
    expect(served.length - waited.length).toBe(TURNS.burstMs / ms);
    expect(waited.length).toBe((TURNS.longestLineMs * TURNS.share) / ms);
    expect(Math.min(...waited.map((at, i) => at - (waited[i - 1] ?? 0)))).toBeGreaterThan((0.7 * ms) / TURNS.share);
    expect(new Set(refused)).toEqual(new Set(['rate-limited 1 0']));
    expect(refused.length).toBe(400 - served.length);
  });

  it('serve the changes of a client that is alone at once', async ({ turns }) => {
    const from = performance.now();
    await Promise.all(Array.from({ length: 60 }, () => turns.change(HEAVY)));
    expect(performance.now() - from).toBe(0);
  });

  it.for<[string, (turns: Turns) => unknown]>([
    ['between the requests of a client that has used little', (turns) => turns.serve(LIGHT, async () => undefined)],
    ['for clients whose responses come from the edge cache', (turns) => turns.see(LIGHT)],
  ])('keep the time %s', async ([, come], { turns }) => {
    const drawing = draw(turns, HEAVY);
    await stepsIn(drawing, 1_000);
    let steps = 0;
    for (let i = 0; i < 40; i += 1) {
      await come(turns);
      steps += await stepsIn(drawing, TURNS.reservedMs - 1);
    }
    expect(steps).toBeGreaterThan(0);
    expect(steps * STEP).toBeLessThanOrEqual(1.2 * TURNS.share * 40 * TURNS.reservedMs);
    await vi.advanceTimersByTimeAsync(TURNS.reservedMs);
    expect(await stepsIn(drawing, 100)).toBeGreaterThan(50);
  });

  it('leave out programs of the service, which wait for turns', async ({ turns }) => {
    const drawing = draw(turns, HEAVY);
    await stepsIn(drawing, 1_000);
    for (let i = 0; i < 40; i += 1) void turns.turn('program', 10);
    expect(await stepsIn(drawing, 100)).toBeGreaterThan(50);
    const end = pendingRequest(turns, LIGHT);
    const from = performance.now();
    const admitted = turns.turn('program', 400);
    await vi.advanceTimersByTimeAsync(TURNS.longestWaitMs);
    await admitted;
    await end();
    expect(performance.now() - from).toBeGreaterThan(0);
  });

  it('return from a request that has ended without notice', async ({ turns }) => {
    void pendingRequest(turns, LIGHT);
    const drawing = draw(turns, HEAVY);
    await vi.advanceTimersByTimeAsync(TURNS.goneMs + TURNS.longestWaitMs);
    expect(await stepsIn(drawing, 100)).toBeGreaterThan(50);
  });
});
