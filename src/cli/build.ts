// npm run wasm: brings build/ up to date.
import { buildStaleArtefacts } from './build/artefacts.ts';

await buildStaleArtefacts((line) => console.log(line));
console.log('build/ is up to date');
