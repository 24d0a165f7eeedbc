import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MONTHS, worstRows } from '../bench/costs.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');

const operate = read('docs/operate.md');
const round = (dollars: number) => `$${Math.round(dollars)}`;

it('the costs of the documentation agree with those that the bench computes', () => {
  const tiles = [MONTHS['1 M tiles a day, 80 % cached'], MONTHS['1 M tiles a day, all drawn']].map(round);
  expect(operate).toContain(`| **about ${tiles[0]}** | **about ${tiles[1]}** |`);
  expect(read('README.md')).toContain(`80 % of them in the cache: about ${tiles[0]} a month`);
  expect(operate).toContain(`| a million static files | $${MONTHS['1 M static files'].toFixed(2)} |`);
  expect(operate).toContain(`a tenth of the rows | $${MONTHS['1 M JPIP requests'].toFixed(2)} |`);
  expect(operate).toContain(`| $${MONTHS['1 M indexed images'].toFixed(2)}, nearly all of it rows |`);
  expect(operate).toContain(`and a busy container | $${MONTHS['a movie of a minute'].toFixed(4)} |`);
  expect(operate).toContain(`busy all month | ${round(MONTHS['four busy containers'])} |`);
});

it('the costs of the documentation state the worst minute of an address, and keep JPIP below 15 dollars a day', () => {
  const security = read('docs/security.md');
  for (const { what, cents, address, network, location } of worstRows()) {
    const ofLocation = location === null ? 'no limit' : `\`$${location}\``;
    expect(security).toContain(`| ${what} | \`${cents.toFixed(2)} cents\` | \`$${address}\` | \`$${network}\` | ${ofLocation} |`);
  }
  expect(worstRows().find(({ what }) => what.startsWith('JPIP'))!.address).toBeLessThanOrEqual(15);
});
