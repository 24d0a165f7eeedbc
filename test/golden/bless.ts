// `npm run bless [-- NAME ...]`: renders the golden images again, all or by name prefix, prints what changed, and raises RENDER_VERSION for it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildStaleArtefacts } from '../../src/cli/build/artefacts.ts';
import { readPng } from '../support/imaging/read-png.ts';

await buildStaleArtefacts((line) => console.error(line));
const { goldenCases } = await import('./cases.ts');
const { blessPresent } = await import('./blessed.ts');
const { compare, framePng, renderCase } = await import('./render.ts');

const images = resolve(import.meta.dirname, 'images');
mkdirSync(images, { recursive: true });
const names = process.argv.slice(2);
const selected = goldenCases.filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)));
if (selected.length === 0) {
  console.error(`No golden image has a name that begins with ${names.join(' or ')}. Their names are in test/golden/images.`);
  process.exit(2);
}
let changed = 0;
for (const golden of selected) {
  const file = resolve(images, `${golden.name}.png`);
  const frame = await renderCase(golden);
  const change = existsSync(file) ? compare(readPng(readFileSync(file)), frame) : null;
  if (change?.pixels === 0) continue;
  writeFileSync(file, await framePng(frame));
  changed++;
  console.log(change ? `${golden.name}: ${change.pixels} pixels changed, by up to ${change.most}` : `${golden.name}: new`);
}
console.log(`${changed} of ${selected.length} golden images changed`);
console.log(blessPresent());
