// Maps of the whole Sun before SunPy and reproject.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { service, verdict } from './verdicts.ts';

const hasReproject = hasModules('sunpy.map', 'reproject');

it.skipIf(!hasReproject)(
  `SunPy${hasReproject ? '' : ' (needs python3-sunpy and python3-reproject)'} reads a map, and finds its values by reprojection with the same weights`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'helioedge-map-'));
    try {
      const output = outputOf('env', [
        `HOME=${folder}`,
        PYTHON,
        join(import.meta.dirname, 'solar-map.py'),
        service,
        folder,
      ]).toString();
      verdict('SunPy', output.trim());
      const found = JSON.parse(output.trim().split('\n').at(-1)!);
      expect(found).toMatchObject({ frame: 'heliographic_carrington', images: 4 });
      expect(found.off).toBeLessThan(0.1);
      expect(found.covered).toBeGreaterThan(0.4);
      expect(found.unlike).toBeLessThan(0.02);
      expect(found.median).toBeLessThan(0.01);
      for (const degrees of found.shiftDegrees) expect(Math.abs(degrees)).toBeLessThan(0.1);
      expect(found.ageSeconds).toBeLessThan(600);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
