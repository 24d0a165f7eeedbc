// The start of the page: what the service put into it, and the first picture.
import { readPlay } from '../../../picture/address/play.ts';
import type { Note, View } from '../../../picture/address/view.ts';
import { parsedJson } from '../../../util/json.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { texts } from '../texts.ts';
import { play } from '../time/play.ts';
import { showLoop } from '../time/range.ts';
import { afterwards, begin, commit, nextKey, placed, ready, report } from './open.ts';
import type { Shown } from './shown.ts';
import { busy, givenNames, isSynthetic, lateHours, notes, trouble } from './state.ts';

interface PageData {
  readonly view: View;
  readonly isNewest: boolean;
  /** By layer, at least one; empty for an empty archive. */
  readonly records: readonly (ImageRecord | null)[];
  readonly names: readonly string[];
  /** Age in hours from which the newest image is late, by layer. */
  readonly lateHours: readonly (number | null)[];
  readonly notes: readonly Note[];
  readonly isSynthetic: boolean;
  /** Whether the service could not look up the view: nothing else is known. */
  readonly isAway?: boolean;
}

export async function showFirst(): Promise<void> {
  // Undefined in a page that no service has filled.
  const data = parsedJson(document.getElementById('page-data')?.textContent ?? '') as PageData | undefined;
  if (!data) return report(new Error('the page has no view'), () => location.reload());
  if (data.isAway) {
    trouble.value = { sentence: texts.away, retry: () => location.reload() };
    return;
  }
  notes.value = data.notes;
  isSynthetic.value = data.isSynthetic;
  const { view, records } = data;
  if (view.atMs === null || records.length === 0) {
    trouble.value = { sentence: texts.empty, retry: () => location.reload() };
    return;
  }
  givenNames.value = new Map(view.layers.map(({ sourceId }, i) => [sourceId, data.names[i]!]));
  lateHours.value = data.lateHours?.find((hours) => hours !== null) ?? lateHours.value;
  const first: Shown = {
    view: { ...view, atMs: view.atMs },
    isNewest: data.isNewest,
    images: records,
    keys: view.layers.map(nextKey),
  };
  // The address of the view takes its place.
  const range = readPlay(new URLSearchParams(location.search).get('play'));
  const signal = begin();
  busy.value = texts.loading;
  try {
    commit(await ready(await placed(first, signal), signal), 'replace');
    busy.value = null;
    await afterwards(signal);
    if (!range) return;
    showLoop(range);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) void play(true);
  } catch (error) {
    if (signal.aborted) return;
    busy.value = null;
    report(error, () => void showFirst());
  }
}
