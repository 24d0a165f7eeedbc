// The address of the page: it follows what is shown, and going back shows what it was.
import { printAddress } from '../../../domain/explorer/print-address.ts';
import type { View } from '../../../domain/explorer/view.ts';
import { LANGUAGE_PARAMETER, languageOfAddress } from '../texts/language.ts';
import { titleOf } from '../texts/times.ts';
import { baseImage, shown } from './state.ts';

/** How a change enters the history: as a step, in place of the present one, or not, because it came from there. */
export type HistoryMode = 'push' | 'replace' | 'none';

const TITLE = document.title;

/** The view for the address: the newest image stays the newest. */
function addressView(): View | null {
  const state = shown.value;
  return state && { ...state.view, atMs: state.isNewest ? null : state.view.atMs };
}

/** The language that the first address stated, which its successors keep. */
const LANGUAGE = languageOfAddress();

export function currentAddress(): string {
  const view = addressView();
  if (!view) return location.pathname + location.search;
  return `/?${printAddress(view)}${LANGUAGE ? `&${LANGUAGE_PARAMETER}=${LANGUAGE}` : ''}`;
}

/** The address with the time of the newest image, for links that shall show the same later. */
export function permanentAddress(): string {
  return shown.value ? `${location.origin}/?${printAddress(shown.value.view)}` : location.href;
}

export function recordAddress(mode: HistoryMode): void {
  document.title = baseImage.value ? titleOf(baseImage.value) : TITLE;
  if (mode === 'none' || document.documentElement.classList.contains('embed')) return;
  const view = addressView();
  const address = currentAddress();
  if (mode === 'push' && address !== location.pathname + location.search) history.pushState(view, '', address);
  else history.replaceState(view, '', address);
}

/** Calls `open` with the view of an earlier step. An address edited by hand loads anew, because the service reads it. */
export function followHistory(open: (view: View) => void): void {
  addEventListener('popstate', (event) => {
    if (event.state) open(event.state as View);
    else location.reload();
  });
  addEventListener('hashchange', openFragment);
}

/** Loads a link of an earlier version of this page, which had its view in the fragment. */
export function openFragment(): boolean {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (!fragment.has('sourceId') && !fragment.has('date')) return false;
  location.replace(`/?${fragment}`);
  return true;
}
