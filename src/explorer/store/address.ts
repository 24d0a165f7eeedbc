// The address of the page: it follows what is shown, and going back shows what it was.
import { printAddress, type View } from '../../picture/address/view.ts';
import { LANGUAGE_PARAMETER, languageOfAddress } from '../texts/language.ts';
import { titleOf } from '../texts.ts';
import { baseImage, shown } from './state.ts';

/** How a change enters the history: as a step, in place of the present one, not yet, or as the entry that the browser has gone to. */
export type HistoryMode = 'push' | 'replace' | 'none' | 'follow';

interface Entry {
  readonly view: View;
  /** Steps from the first entry of the page. */
  readonly index: number;
}

const TITLE = document.title;

function entryOf(state: unknown): Entry | null {
  const entry = state as Partial<Entry> | null;
  // Entries of an earlier version of the page lack overlays.
  return entry?.view?.overlays && typeof entry.index === 'number' ? (entry as Entry) : null;
}

/** The entry that the browser is at. */
let at = entryOf(history.state)?.index ?? 0;
/** The entry of the view that is shown: another one while the view of an earlier step loads. */
let shownAt = at;
/** Settles when the browser is back there, or has gone elsewhere meanwhile; null while it is not on its way. */
let returning: PromiseWithResolvers<void> | null = null;
/** Browsers refuse more than a hundred changes of the address within ten seconds. */
const REFUSED_MS = 2_000;
let refused: ReturnType<typeof setTimeout> | undefined;

/** The language that the first address stated, which its successors keep. */
const LANGUAGE = languageOfAddress();

/** The address with the time of the newest image, for links that shall show the same later. */
export function permanentAddress(): string {
  return shown.value ? `${location.origin}/?${printAddress(shown.value.view)}` : location.href;
}

/** Whether another site has embedded the picture. */
export const isEmbedded = (): boolean => document.documentElement.classList.contains('embed');

export function recordAddress(mode: HistoryMode): void {
  const title = baseImage.value ? titleOf(baseImage.value) : TITLE;
  // The browser renders it anew each time that it is set.
  if (document.title !== title) document.title = title;
  if (mode === 'follow') shownAt = at;
  const state = shown.value;
  // While the browser is elsewhere, the address is that of another view.
  if (mode === 'none' || at !== shownAt || isEmbedded() || !state) return;
  const view = { ...state.view, atMs: state.isNewest ? null : state.view.atMs };
  const address = `/?${printAddress(view)}${LANGUAGE ? `&${LANGUAGE_PARAMETER}=${LANGUAGE}` : ''}`;
  const isNew = mode === 'push' && address !== location.pathname + location.search;
  clearTimeout(refused);
  try {
    if (isNew) history.pushState({ view, index: at + 1 }, '', address);
    else history.replaceState({ view, index: at }, '', address);
  } catch {
    refused = setTimeout(() => recordAddress(mode), REFUSED_MS);
    return;
  }
  if (isNew) at += 1;
  shownAt = at;
}

/** Takes the browser back to the entry that is shown. Returns how to leave again; null if it is there. */
export function returnToShown(): (() => void) | null {
  const by = at - shownAt;
  if (by === 0) return null;
  if (!returning) history.go(-by);
  returning ??= Promise.withResolvers();
  return () => history.go(by);
}

/** Resolves when the browser has returned to the entry that is shown, or has gone elsewhere meanwhile. */
export const returned = async (): Promise<void> => returning?.promise;

/**
 * Calls `open` with the view of another entry that the browser goes to, `stay` when it is back at the one that is shown. An address
 * edited by hand loads anew, because the service reads it.
 */
export function followHistory({ open, stay }: { readonly open: (view: View) => void; readonly stay: () => void }): void {
  addEventListener('popstate', (event) => {
    const entry = entryOf(event.state);
    if (!entry) return location.reload();
    at = entry.index;
    const back = returning;
    returning = null;
    if (at === shownAt) stay();
    else open(entry.view);
    back?.resolve();
  });
  addEventListener('hashchange', openFragment);
}

/** Loads what a link of another form means: a movie of helioviewer.org, or a view in the fragment, as earlier versions of this page had it. */
export function openFragment(): boolean {
  const movie = new URLSearchParams(location.search).get('movieId');
  if (movie) {
    location.replace(`/movie/${encodeURIComponent(movie)}`);
    return true;
  }
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (!fragment.has('sourceId') && !fragment.has('date')) return false;
  location.replace(`/?${fragment}`);
  return true;
}
