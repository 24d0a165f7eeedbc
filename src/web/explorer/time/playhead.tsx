// The mark of the shown time on the timeline, which a pointer and keys move through the frames of a range.
import { useRef } from 'preact/hooks';
import { shown } from '../store/state.ts';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { useTimeOnScreen } from './at-time.ts';
import { loop } from './range.ts';
import { endScrub, scrubTo } from './scrub.ts';

/** Frames that a key moves by. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -1000,
  End: 1000,
};

interface PlayheadProps {
  /** Start of the timeline. */
  readonly startMs: number;
  readonly spanMs: number;
}

export function Playhead({ startMs, spanMs }: PlayheadProps) {
  /** The timeline while a pointer drags, which stays under it. */
  const dragged = useRef<{ readonly box: DOMRect; readonly startMs: number } | null>(null);
  const mark = useRef<HTMLDivElement>(null);
  useTimeOnScreen(mark, startMs, spanMs);
  const { atMs } = shown.value!.view;
  const range = { startMs, endMs: startMs + spanMs };
  const { startMs: firstMs, endMs: lastMs } = loop.value ?? range;
  const seconds = (ms: number) => Math.round(ms / 1000);
  const end = () => {
    dragged.current = null;
    endScrub();
  };
  return (
    <div
      ref={mark}
      class="playhead"
      id="playhead"
      role="slider"
      tabIndex={0}
      aria-label={texts.timeline.playhead}
      aria-valuemin={seconds(Math.min(firstMs, atMs))}
      aria-valuemax={seconds(Math.max(lastMs, atMs))}
      aria-valuenow={seconds(atMs)}
      aria-valuetext={utc(atMs)}
      title={texts.timeline.playhead}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged.current = { box: event.currentTarget.closest('.timeline-range')!.getBoundingClientRect(), startMs };
      }}
      onPointerMove={(event) => {
        if (!dragged.current) return;
        const { box, startMs: fromMs } = dragged.current;
        const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
        scrubTo({ atMs: fromMs + part * spanMs }, range);
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={(event) => {
        const by = KEYS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        scrubTo({ by }, range);
      }}
      onKeyUp={(event) => {
        if (KEYS[event.key] !== undefined) endScrub();
      }}
      onBlur={endScrub}
    />
  );
}
