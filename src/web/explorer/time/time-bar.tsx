// The bar below the picture: the time, steps, play, and the timeline.
import { useEffect } from 'preact/hooks';
import { Button, IconButton, named, SignalChoice, setTo } from '../page/controls.tsx';
import { Lazy } from '../page/loading.tsx';
import { type StepUnit, showNewest, stayHere, step } from '../store/actions.ts';
import { pause } from '../store/open.ts';
import { adjacent, dialog, isPlaying, shown } from '../store/state.ts';
import { fill, texts } from '../texts.ts';
import { stepUnit } from './moments.ts';
import { play, SPEEDS, speed } from './play.ts';
import { addShortcuts } from './shortcuts.ts';
import { TimeField } from './time-field.tsx';

const UNITS: readonly StepUnit[] = ['image', 'hour', 'day', 'rotation'];

function Steps() {
  const { previousMs, nextMs } = adjacent.value;
  const isOff = shown.value === null;
  const stepButton = (name: 'previous' | 'next', direction: -1 | 1, toMs: number | null) => (
    <IconButton
      id={name}
      class=""
      icon={name}
      label={texts.time[name]}
      disabled={isOff || (stepUnit.value === 'image' && toMs === null)}
      act={() => void step(direction, stepUnit.value)}
    />
  );
  return (
    <>
      {stepButton('previous', -1, previousMs)}
      <TimeField />
      {stepButton('next', 1, nextMs)}
      <IconButton icon="calendar" label={texts.calendar.open} disabled={isOff} act={setTo(dialog, 'calendar')} />
    </>
  );
}

/** The timeline loads after the first picture. */
function LazyTimeline() {
  const load = async () => (await import('./timeline.tsx')).Timeline;
  return <div class="timeline-place">{shown.value && <Lazy name="timeline" load={load} isSilent />}</div>;
}

export function TimeBar() {
  useEffect(addShortcuts, []);
  return (
    <section class="time" aria-label={texts.time.label}>
      <div class="time-row">
        <Steps />
        <SignalChoice isBare id="step-by" label={texts.time.stepBy} of={stepUnit} options={named(UNITS, texts.time.units)} />
        <Button
          id="play"
          disabled={shown.value === null}
          aria-pressed={isPlaying.value}
          icon={isPlaying.value ? 'pause' : 'play'}
          label={isPlaying.value ? texts.time.pause : texts.time.play}
          act={() => (isPlaying.value ? pause() : void play())}
        />
        <SignalChoice
          isBare
          id="speed"
          label={texts.time.speed}
          of={speed}
          options={SPEEDS.map((frames) => [frames as number, fill(texts.time.perSecond, { frames })] as const)}
        />
        <Button
          id="newest"
          disabled={shown.value === null}
          aria-pressed={shown.value?.isNewest ?? false}
          title={shown.value?.isNewest ? texts.time.following : texts.time.newest}
          icon="newest"
          label={texts.time.newest}
          act={() => (shown.value?.isNewest ? stayHere() : void showNewest())}
        />
      </div>
      <LazyTimeline />
    </section>
  );
}
