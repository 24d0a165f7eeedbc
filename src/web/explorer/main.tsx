// The entry of the explorer. Texts load first, because the modules of the page read them as they load.
import { loadTexts } from './texts.ts';

await loadTexts();
const { start } = await import('./start.tsx');
start();
