// The range of play on the timeline: a band with what is buffered, which moves as a whole and at both ends.
import { useRef } from 'preact/hooks';
import type { Range } from '../model/timeline.ts';
import { isPlaying } from '../store/state.ts';
import { utc } from '../texts/times.ts';
import { texts } from '../texts.ts';
import { play } from './play.ts';
import { buffered, loop, movedLoop } from './range.ts';

/** Parts of the timeline that an arrow key moves by. */
const KEY_STEPS = 48;

interface Span {
  readonly startMs: number;
  readonly spanMs: number;
}

/** Play goes on in the range that has been set. */
function settled(): void {
  if (isPlaying.value) void play(true);
}

type Grip = 'start' | 'end' | 'both';

function useGrip(what: Grip, { spanMs }: Span) {
  const from = useRef<{ readonly x: number; readonly box: DOMRect; readonly loop: Range } | null>(null);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      const grip = event.currentTarget as HTMLElement;
      grip.setPointerCapture(event.pointerId);
      const box = grip.closest('.timeline-range')!.getBoundingClientRect();
      from.current = { x: event.clientX, box, loop: loop.value! };
    },
    onPointerMove: (event: PointerEvent) => {
      if (!from.current) return;
      const { x, box, loop: before } = from.current;
      const to = Math.min(Math.max(event.clientX, box.left), box.right);
      loop.value = movedLoop(before, what, ((to - x) / box.width) * spanMs);
    },
    onPointerUp: () => {
      const hasMoved = from.current !== null && from.current.loop !== loop.value;
      from.current = null;
      if (hasMoved) settled();
    },
    onPointerCancel: () => {
      from.current = null;
    },
  };
}

const ARROWS: Readonly<Record<string, -1 | 1>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

function End({ what, span }: { readonly what: 'start' | 'end'; readonly span: Span }) {
  const grip = useGrip(what, span);
  const { startMs, endMs } = loop.value!;
  const atMs = what === 'start' ? startMs : endMs;
  const seconds = (ms: number) => Math.round(ms / 1000);
  const place = (atMs - span.startMs) / span.spanMs;
  if (place < 0 || place > 1) return null;
  return (
    <div
      class="loop-end"
      id={`loop-${what}`}
      role="slider"
      tabIndex={0}
      aria-label={texts.timeline.loop[what]}
      aria-valuemin={seconds(what === 'start' ? Math.min(span.startMs, startMs) : startMs)}
      aria-valuemax={seconds(what === 'start' ? endMs : Math.max(span.startMs + span.spanMs, endMs))}
      aria-valuenow={seconds(atMs)}
      aria-valuetext={utc(atMs)}
      title={`${texts.timeline.loop[what]}: ${utc(atMs)}`}
      style={{ left: `${place * 100}%` }}
      onKeyDown={(event) => {
        const direction = ARROWS[event.key];
        if (!direction) return;
        event.preventDefault();
        event.stopPropagation();
        loop.value = movedLoop(loop.value!, what, (direction * span.spanMs) / KEY_STEPS);
        settled();
      }}
      {...grip}
    />
  );
}

export function LoopBand(span: Span) {
  const grip = useGrip('both', span);
  if (!loop.value) return null;
  const part = (ms: number) => Math.min(Math.max((ms - span.startMs) / span.spanMs, 0), 1) * 100;
  const { startMs, endMs } = loop.value;
  const [left, right] = [part(startMs), part(endMs)];
  return (
    <>
      <div
        class="loop"
        style={{ left: `${left}%`, width: `${right - left}%` }}
        title={texts.timeline.loop.move}
        data-buffered={buffered.value.length}
        {...grip}
      >
        <svg viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">
          <path
            class="loop-buffered"
            d={buffered.value
              .map(
                (ms) =>
                  `M${((Math.min(Math.max(ms - startMs, 0), endMs - startMs) / (endMs - startMs)) * 988).toFixed(0)} 0h12v1h-12z`,
              )
              .join('')}
          />
        </svg>
      </div>
      <End what="start" span={span} />
      <End what="end" span={span} />
    </>
  );
}
