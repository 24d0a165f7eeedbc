// The entry of the explorer. Texts load first, because the modules of the page read them as they load.
import { preloadModules } from './first-picture.ts';
import { loadTexts } from './texts.ts';

await Promise.all([loadTexts(), preloadModules()]);
const { start } = await import('./start.tsx');
start();
