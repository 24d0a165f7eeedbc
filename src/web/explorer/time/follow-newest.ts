// Follows the newest image while it is shown, by an answer that all visitors share for a minute.
import { MINUTE_MS } from '../../../util/durations.ts';
import { closestImage } from '../api/images.ts';
import { open, present } from '../store/open.ts';
import { baseImage, baseSourceId, busy, clockMs, isMoving, screen } from '../store/state.ts';

/** With the minute of an answer, a new image is there within 90 s. */
const POLL_MS = 30_000;

/** Shows the newest image where it is newer than the shown one, at the same place. */
async function look(): Promise<void> {
  clockMs.value = Date.now();
  const [state, image, sourceId] = [screen.value, baseImage.value, baseSourceId.value];
  const isIdle = !document.hidden && !isMoving.value && busy.value === null;
  if (!state?.isNewest || !isIdle || !image || sourceId === null) return;
  const newest = await closestImage(sourceId, Math.floor(clockMs.value / MINUTE_MS) * MINUTE_MS).catch(() => null);
  const isNewer = newest && Date.parse(newest.takenAt) > Date.parse(image.takenAt);
  const view = present()?.view;
  if (isNewer && view && screen.value?.isNewest && busy.value === null)
    await open({ ...view, atMs: null }, { history: 'replace' });
}

/** @returns what ends it */
export function followNewest(): () => void {
  const timer = setInterval(() => void look(), POLL_MS);
  return () => clearInterval(timer);
}
