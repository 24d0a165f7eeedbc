// The entry of the explorer, of the embedded picture and of the pages of movies. The picture in the page loads first, then the texts, which
// the modules of the page read as they load, and these modules.
import { loadTexts } from './texts.ts';
import { applyTheme } from './theme.ts';

/** Round trip from which a line is slow, so that modules would take the bandwidth that the picture needs. */
const SLOW_RTT_MS = 250;
/** Longest wait for the picture. */
const PATIENCE_MS = { fast: 300, slow: 5_000 } as const;

interface Line {
  readonly rtt?: number;
}

function lineOf(): keyof typeof PATIENCE_MS {
  const { connection } = navigator as Navigator & { readonly connection?: Line };
  return (connection?.rtt ?? 0) >= SLOW_RTT_MS ? 'slow' : 'fast';
}

/** Resolves when the picture of the page has loaded or failed, at the latest after the patience for the line. */
function firstPicture(): Promise<void> {
  const picture = document.getElementById('first');
  if (!(picture instanceof HTMLImageElement) || picture.complete) return Promise.resolve();
  return new Promise((resolve) => {
    for (const end of ['load', 'error']) picture.addEventListener(end, () => resolve(), { once: true });
    setTimeout(resolve, PATIENCE_MS[lineOf()]);
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
  if (classList.contains('embed')) return import('./embed.tsx');
  return classList.contains('movie-page') ? import('./movies/movie-page.tsx') : import('./page/app.tsx');
};
(await load()).start();
