// An error says what is wrong, is no 5xx but 503 with Retry-After, and has no text of the platform. But GET /v2/getJPX/?startTime=2024-05-10T12:03:00.000Z&endTime=2024-05-10T12:03:00.000Z&sourceId=12: status 500: {"error":"The request failed because of an internal error. Try again later.","errno":255,
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('keeps the statement "honest" in the history of seed 6', () =>
  expectHolds(6, [
    { do: 'fault', on: 'd1', kind: 'after', skip: 8 },
    { do: 'upload', name: 'a', content: 1 },
    { do: 'fault', on: 'r2', kind: 'special', skip: 3 },
    { do: 'read', of: 3, path: 2 },
  ]));
