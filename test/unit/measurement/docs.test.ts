import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measuringService } from '../../support/measurement/service.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/measure.md'), 'utf8');
const examples = [...page.matchAll(/^curl .*?"\$B(\/v2\/[^"]+)"/gm)].map((match) => match[1]!);

const service = measuringService();

describe('docs/measure.md', () => {
  it('has an example of each operation that measures', () => {
    const named = new Set(examples.map((example) => example.split('/')[2]));
    expect([...named].sort()).toEqual(['getCutout', 'getImageData', 'getLightCurve', 'getTimeDistance', 'getValue']);
  });

  it.each(examples)('%s is served', async (example) => {
    const { ask } = await service;
    const url = new URL(example, 'http://sun.test');
    const response = await ask(url.pathname.split('/')[2]!, Object.fromEntries(url.searchParams));
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(200);
  });
});
