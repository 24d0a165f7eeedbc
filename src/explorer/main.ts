// The entry of the explorer, of the embedded picture and of the pages of movies. The picture in the page loads first, then the texts, which
// the modules of the page read as they load, and these modules.
import { isSlowLine } from './line.ts';
import { loadTexts } from './texts.ts';
import { applyTheme } from './theme.ts';

/** Longest wait for the picture. */
const PATIENCE_MS = { fast: 300, slow: 5_000 } as const;

/** Resolves when the picture of the page has loaded or failed, at the latest after the patience for the line. */
function firstPicture(): Promise<void> {
  const picture = document.getElementById('first');
  if (!(picture instanceof HTMLImageElement) || picture.complete) return Promise.resolve();
  return new Promise((resolve) => {
    for (const end of ['load', 'error']) picture.addEventListener(end, () => resolve(), { once: true });
    setTimeout(resolve, PATIENCE_MS[isSlowLine() ? 'slow' : 'fast']);
  });
}

/** Requests the modules that the page lists, after its picture. */
async function preloadModules(): Promise<void> {
  await firstPicture();
  const paths = JSON.parse(document.getElementById('modules')?.textContent ?? '[]') as string[];
  document.head.append(...paths.map((href) => Object.assign(document.createElement('link'), { rel: 'modulepreload', href })));
}

applyTheme();
await Promise.all([loadTexts(), preloadModules()]);
const { classList } = document.documentElement;
const load = () => {
  if (classList.contains('movie-page')) return import('./movies/movie-page.tsx');
  // What draws tiles is requested before them: on a slow line it would come behind them.
  void import('./picture/tile-sheet.ts').catch(() => undefined);
  return classList.contains('embed') ? import('./embed.tsx') : import('./page/app.tsx');
};
(await load()).start();
