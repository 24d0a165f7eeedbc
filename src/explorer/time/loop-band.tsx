// The range of play on the timeline: a band with what is buffered, which moves as a whole and at both ends.
import type { HTMLAttributes, RefObject } from 'preact';
import type { Range } from '../model/timeline.ts';
import { onKeys, setter } from '../page/controls.tsx';
import { useDrag } from '../picture/drag.ts';
import type { Point } from '../picture/geometry.ts';
import { isPlaying } from '../store/state.ts';
import { texts, utc } from '../texts.ts';
import { play } from './play.ts';
import { buffered, loop } from './range.ts';
import { movedLoop, type ShownSpan } from './timeline-range.ts';

/** Parts of the timeline that an arrow key moves by. */
const KEY_STEPS = 48;

/** Play goes on in the range that has been set. */
function settled(): void {
  if (isPlaying.value) void play(true);
}

/** The place of a pointer on the timeline: `x` from 0 to 1. */
export function onTimeline({ currentTarget, clientX }: PointerEvent): Point {
  const { left, width } = (currentTarget as Element).closest('.timeline-range')!.getBoundingClientRect();
  return { x: Math.min(Math.max((clientX - left) / width, 0), 1), y: 0 };
}

interface SliderProps extends Omit<HTMLAttributes<HTMLDivElement>, 'ref'> {
  readonly mark?: RefObject<HTMLDivElement>;
  readonly label: string;
  readonly atMs: number;
  readonly within: Range;
}

const seconds = (ms: number) => Math.round(ms / 1000);

/** What moves along the time. */
export const Slider = ({ mark, label, atMs, within: { startMs, endMs }, ...others }: SliderProps) => (
  <div
    ref={mark ?? null}
    role="slider"
    tabIndex={0}
    aria-label={label}
    aria-valuemin={seconds(startMs)}
    aria-valuemax={seconds(endMs)}
    aria-valuenow={seconds(atMs)}
    aria-valuetext={utc(atMs)}
    {...others}
  />
);

const useGrip = (what: Parameters<typeof movedLoop>[1], { spanMs }: ShownSpan) =>
  useDrag({
    at: onTimeline,
    of: () => loop.value!,
    onMove: (from, to, before) => setter(loop)(movedLoop(before, what, (to.x - from.x) * spanMs)),
    onEnd: (before) => before !== loop.value && settled(),
  });

const ARROWS: Readonly<Record<string, -1 | 1>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

function End({ what, span }: { readonly what: 'start' | 'end'; readonly span: ShownSpan }) {
  const grip = useGrip(what, span);
  const { startMs, endMs } = loop.value!;
  const atMs = what === 'start' ? startMs : endMs;
  const within =
    what === 'start'
      ? { startMs: Math.min(span.startMs, startMs), endMs }
      : { startMs, endMs: Math.max(span.startMs + span.spanMs, endMs) };
  const place = (atMs - span.startMs) / span.spanMs;
  if (place < 0 || place > 1) return null;
  return (
    <Slider
      class="loop-end"
      id={`loop-${what}`}
      {...{ label: texts.timeline.loop[what], atMs, within }}
      title={`${texts.timeline.loop[what]}: ${utc(atMs)}`}
      style={{ left: `${place * 100}%` }}
      onKeyDown={onKeys(ARROWS, (direction) => {
        loop.value = movedLoop(loop.value!, what, (direction * span.spanMs) / KEY_STEPS);
        settled();
      })}
      {...grip}
    />
  );
}

export function LoopBand(span: ShownSpan) {
  const grip = useGrip('both', span);
  if (!loop.value) return null;
  const part = (ms: number) => Math.min(Math.max((ms - span.startMs) / span.spanMs, 0), 1) * 100;
  const { startMs, endMs } = loop.value;
  const [left, right] = [part(startMs), part(endMs)];
  const within = (ms: number) => Math.min(Math.max((ms - startMs) / (endMs - startMs), 0), 1);
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
          <path class="loop-buffered" d={buffered.value.map((ms) => `M${(within(ms) * 988).toFixed(0)} 0h12v1h-12z`).join('')} />
        </svg>
      </div>
      <End what="start" span={span} />
      <End what="end" span={span} />
    </>
  );
}
