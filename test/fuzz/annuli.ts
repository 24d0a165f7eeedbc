// Fuzzes the reader of the statistics of annuli: damaged files, and damaged contents whose checksums have been made to match.
import { deflateSync, inflateSync } from 'node:zlib';
import { decodeStatistics, encodeStatistics, statisticsOf } from '../../src/picture/filters/annuli.ts';
import { nrgfTable, rhefTable } from '../../src/picture/filters/filters.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate } from './mutate.ts';

const ROWS = 4;

export const annuliTarget: FuzzTarget = () => (random, onInput) => {
  const counts = Uint32Array.from({ length: ROWS * 256 }, () => Math.floor(random() * 3));
  const annuli = { rows: ROWS, from: 0, width: 2 };
  const file = encodeStatistics({ ...annuli, ...statisticsOf(counts, annuli), median: 100, law: null });
  const content = mutate(inflateSync(file), file, random);
  for (const damaged of [mutate(file, content, random), deflateSync(content)]) {
    onInput(damaged);
    const statistics = decodeStatistics(damaged);
    if (!statistics) continue;
    for (const { levels, rows } of [rhefTable(statistics, { low: 0.35, high: 0.35 }), nrgfTable(statistics, 'disc')]) {
      if (levels.length !== rows * 256) throw new Error(`Expected ${rows * 256} levels, got ${levels.length}.`);
      if (levels.subarray(0, rows).some((level) => level !== 0)) throw new Error('Expected byte 0 to stay 0.');
    }
  }
};
