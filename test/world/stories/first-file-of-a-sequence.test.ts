// The first file that a mirror copies in a new isolate begins a sequence of ids, and made two calls more than were stated.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('states the calls of the first file of a mirror in a new isolate', () =>
  expectHolds(37, [{ do: 'appear' }, { do: 'cron' }, { do: 'kill' }]));
