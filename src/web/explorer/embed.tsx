// The entry of the embedded picture. Texts load first, because its modules read them as they load.
import { loadTexts } from './texts.ts';

await loadTexts();
const { start } = await import('./start-embed.tsx');
start();
