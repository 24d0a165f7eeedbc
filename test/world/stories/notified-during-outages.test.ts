// The notification of a file failed six times within six minutes of outages, and ended among the dead letters.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('finds a file whose notification comes during two outages of three minutes each', () =>
  expectHolds(40003144, [
    { do: 'put', of: 0 },
    { do: 'outage', on: 'r2', ms: 180000 },
    { do: 'pass', ms: 180000 },
    { do: 'outage', on: 'ids', ms: 180000 },
    { do: 'pass', ms: 360000 },
  ]));
