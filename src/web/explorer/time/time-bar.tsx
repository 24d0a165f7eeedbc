// The bar below the picture: the time, steps, play, and the timeline.
import { useEffect } from 'preact/hooks';
import { Choice, Icon, IconButton, setTo, setter } from '../page/controls.tsx';
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

interface StepProps {
  readonly name: 'previous' | 'next';
  readonly label: string;
  readonly direction: -1 | 1;
  readonly isOff: boolean;
}

function StepButton({ name, label, direction, isOff }: StepProps) {
  const act = () => void step(direction, stepUnit.value);
  return (
    <button type="button" id={name} aria-label={label} title={label} disabled={isOff} onClick={act}>
      <Icon name={name} />
    </button>
  );
}

function Steps() {
  const { previousMs, nextMs } = adjacent.value;
  const byImage = stepUnit.value === 'image';
  const isOff = shown.value === null;
  const words = texts.time;
  return (
    <>
      <StepButton name="previous" label={words.previous} direction={-1} isOff={isOff || (byImage && previousMs === null)} />
      <TimeField />
      <StepButton name="next" label={words.next} direction={1} isOff={isOff || (byImage && nextMs === null)} />
      <IconButton icon="calendar" label={texts.calendar.open} isOff={isOff} act={setTo(dialog, 'calendar')} />
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
        <Choice
          isBare
          id="step-by"
          label={texts.time.stepBy}
          value={stepUnit.value}
          options={UNITS.map((unit) => [unit, texts.time.units[unit]] as const)}
          pick={setter(stepUnit)}
        />
        <button
          type="button"
          id="play"
          disabled={shown.value === null}
          aria-pressed={isPlaying.value}
          onClick={() => (isPlaying.value ? pause() : void play())}
        >
          <Icon name={isPlaying.value ? 'pause' : 'play'} />
          <span class="label">{isPlaying.value ? texts.time.pause : texts.time.play}</span>
        </button>
        <Choice
          isBare
          id="speed"
          label={texts.time.speed}
          value={speed.value}
          options={SPEEDS.map((frames) => [frames as number, fill(texts.time.perSecond, { frames })] as const)}
          pick={setter(speed)}
        />
        <button
          type="button"
          id="newest"
          disabled={shown.value === null}
          aria-pressed={shown.value?.isNewest ?? false}
          title={shown.value?.isNewest ? texts.time.following : texts.time.newest}
          onClick={() => (shown.value?.isNewest ? stayHere() : void showNewest())}
        >
          <Icon name="newest" />
          <span class="label">{texts.time.newest}</span>
        </button>
      </div>
      <LazyTimeline />
    </section>
  );
}
