// The entry of the embedded picture. Texts load first, because its modules read them as they load.
import { preloadModules } from './first-picture.ts';
import { loadTexts } from './texts.ts';

await Promise.all([loadTexts(), preloadModules()]);
const { start } = await import('./start-embed.tsx');
start();
