import { expect, it } from 'vitest';
import { migrated } from '../../support/memory/sqlite-d1.ts';

it('the SQLite stand-in for D1 rejects the values that D1 rejects', () => {
  const statement = migrated().prepare('SELECT ?');
  expect(() => statement.bind(undefined)).toThrow('D1_TYPE_ERROR');
  expect(() => statement.bind(...Array(101).fill(1))).toThrow('too many');
});
