// The start of the page: what the service put into it, and the first picture.
import type { Note, View } from '../../../domain/explorer/view.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { texts } from '../texts.ts';
import { followHistory, openFragment } from './address.ts';
import { afterwards, begin, commit, nextKey, open, ready, report, stay } from './open.ts';
import type { Shown } from './shown.ts';
import { busy, isSynthetic, notes, trouble } from './state.ts';

interface PageData {
  readonly view: View;
  readonly isNewest: boolean;
  readonly records: readonly (ImageRecord | null)[];
  readonly notes: readonly Note[];
  readonly isSynthetic: boolean;
}

/** Null in a page that no service has filled. */
function pageData(): PageData | null {
  try {
    return JSON.parse(document.getElementById('page-data')?.textContent ?? '') as PageData;
  } catch {
    return null;
  }
}

/** Whether the page stays; false while it loads another address. */
export function boot(): boolean {
  if (openFragment()) return false;
  followHistory({ open: (view) => void open(view, { history: 'follow' }), stay });
  return true;
}

/** Shows the first picture. */
export async function showFirst(): Promise<void> {
  const data = pageData();
  if (!data) return report(new Error('the page has no view'), () => location.reload());
  notes.value = data.notes;
  isSynthetic.value = data.isSynthetic;
  const { view, records } = data;
  if (view.atMs === null || records.every((record) => record === null)) return startWithoutImage(view, records.length > 0);
  const first: Shown = {
    view: { ...view, atMs: view.atMs },
    isNewest: data.isNewest,
    images: records,
    keys: view.layers.map(nextKey),
  };
  const signal = begin();
  busy.value = texts.loading;
  try {
    commit(await ready(first, signal), 'replace');
    busy.value = null;
    await afterwards(signal);
  } catch (error) {
    if (signal.aborted) return;
    busy.value = null;
    report(error, () => void showFirst());
  }
}

/** An address whose sources have no images: says so, and shows the newest image of the Sun if there is one. */
async function startWithoutImage(view: View, hasSource: boolean): Promise<void> {
  trouble.value = { sentence: texts.empty, retry: () => location.reload() };
  if (!hasSource) return;
  const layers = [{ sourceId: 10, isVisible: true, opacity: 100, difference: { kind: 'none' as const } }];
  if (!(await open({ ...view, atMs: null, layers }, { history: 'replace', keepNotes: true }))) return;
  notes.value = [
    ...notes.value,
    ...view.layers.map(({ sourceId }): Note => ({ kind: 'unknown-source', given: String(sourceId) })),
  ];
}
