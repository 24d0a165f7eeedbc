import { expect, it } from 'vitest';
import { delay } from '../../../src/platform/util/retry.ts';
import { SingleFlight } from '../../../src/platform/util/single-flight.ts';

it('SingleFlight computes once for concurrent callers of a key, and once for each key', async () => {
  const flights = new SingleFlight<string>(1000);
  let count = 0;
  const compute = async () => {
    await delay(5);
    count += 1;
    return `result ${count}`;
  };
  const results = await Promise.all([flights.run('a', compute), flights.run('a', compute), flights.run('b', compute)]);
  expect([results[0] === results[1], count]).toEqual([true, 2]);
});

it('SingleFlight computes again when the last computation has settled', async () => {
  const flights = new SingleFlight<number>(1000);
  expect([await flights.run('a', async () => 1), await flights.run('a', async () => 2)]).toEqual([1, 2]);
});

it('SingleFlight shares a failure with concurrent callers, and forgets it', async () => {
  const flights = new SingleFlight<number>(1000);
  const failing = () => delay(5).then(() => Promise.reject(new Error('broken')));
  const results = await Promise.allSettled([flights.run('a', failing), flights.run('a', async () => 1)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', async () => 2)).toBe(2);
});

it('SingleFlight computes for the next caller when a failure concerns one caller alone', async () => {
  const flights = new SingleFlight<string>(1000, (error) => (error as Error).message === 'refused');
  const callers = ['first', 'second', 'third'].map((name) =>
    flights.run('a', async () => {
      await delay(5);
      if (name === 'first') throw new Error('refused');
      return name;
    }),
  );
  const results = await Promise.allSettled(callers);
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
    'refused',
    'second',
    'second',
  ]);
});

it('SingleFlight stops waiting for a computation that never settles', async () => {
  const flights = new SingleFlight<string>(20);
  void flights.run('a', () => new Promise(() => {}));
  expect(await flights.run('a', async () => 'computed anew')).toBe('computed anew');
});

it('SingleFlight keeps sharing the newer of two computations when the older one settles late', async () => {
  const flights = new SingleFlight<string>(20);
  const [older, newer] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const first = flights.run('a', () => older.promise);
  await delay(30);
  const second = flights.run('a', () => newer.promise);
  await delay(5);
  older.resolve('older');
  await first;
  const third = flights.run('a', async () => 'a third computation');
  newer.resolve('newer');
  expect([await second, await third]).toEqual(['newer', 'newer']);
});

it('SingleFlight shares a computation until it settles without a time limit', async () => {
  const flights = new SingleFlight<string>(null);
  const slow = flights.run('a', () => delay(40).then(() => 'slow'));
  await delay(20);
  expect([await flights.run('a', async () => 'other'), await slow]).toEqual(['slow', 'slow']);
});
