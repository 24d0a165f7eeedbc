// What clients had used up was forgotten when the tokens of operators and movie workers were replaced, by which their addresses were hashed.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('keeps the share of a client while tokens are replaced', () =>
  expectHolds(5766, [
    { do: 'kill worker' },
    { do: 'flood' },
    { do: 'kill worker' },
    { do: 'rotate tokens' },
    { do: 'flood' },
    { do: 'cron' },
    { do: 'cron' },
    { do: 'movie', of: 1 },
  ]));
