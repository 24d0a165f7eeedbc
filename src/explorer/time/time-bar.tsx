// The bar below the picture: the time, steps, play, and the timeline; and the keys that work anywhere but in fields.
import { useEffect } from 'preact/hooks';
import { Button, IconButton, listened, named, onKeys, SignalChoice, setTo } from '../page/controls.tsx';
import { toggleFullScreen } from '../page/header.tsx';
import { Lazy } from '../page/loading.tsx';
import { type StepUnit, showBefore, showNewest, stayHere, step } from '../store/actions.ts';
import { pause } from '../store/open.ts';
import { adjacent, dialog, isPlaying, shown } from '../store/state.ts';
import { fill, texts } from '../texts.ts';
import { stepUnit } from './moments.ts';
import { play, SPEEDS, speed } from './play.ts';
import { TimeField } from './time-field.tsx';

const stepChannel = async (by: -1 | 1) => (await import('../panels/channels.tsx')).stepChannel(by);

const KEYS: Readonly<Record<string, () => void>> = {
  ',': () => void step(-1, stepUnit.value),
  '.': () => void step(1, stepUnit.value),
  '[': () => void stepChannel(-1),
  ']': () => void stepChannel(1),
  b: () => void showBefore(),
  f: toggleFullScreen,
  ' ': () => (isPlaying.value ? pause() : void play()),
};

const FIELDS = 'input, select, textarea, [contenteditable], dialog *';
/** The space key presses what has the focus. */
const PRESSED_BY_SPACE = 'button, a, summary, video';

function pressed(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && event.key === 'p' && shown.value) {
    event.preventDefault();
    return void import('../saving/picture-dialog.tsx').then(({ printPicture }) => printPicture()).catch(() => print());
  }
  const target = event.target as Element;
  const isTaken = target.matches(FIELDS) || (event.key === ' ' && target.matches(PRESSED_BY_SPACE));
  if (!isTaken) onKeys(KEYS, (act) => act())(event);
}

const UNITS: readonly StepUnit[] = ['image', 'hour', 'day', 'rotation'];

function Steps() {
  const isOff = shown.value === null;
  const stepButton = (name: 'previous' | 'next', direction: -1 | 1) => (
    <IconButton
      id={name}
      class=""
      icon={name}
      label={texts.time[name]}
      disabled={isOff || (stepUnit.value === 'image' && adjacent.value[`${name}Ms`] === null)}
      act={() => void step(direction, stepUnit.value)}
    />
  );
  return (
    <>
      {stepButton('previous', -1)}
      <TimeField />
      {stepButton('next', 1)}
      <IconButton icon="calendar" label={texts.calendar.open} disabled={isOff} act={setTo(dialog, 'calendar')} />
    </>
  );
}

const loadTimeline = async () => (await import('./timeline.tsx')).Timeline;

export function TimeBar() {
  useEffect(() => listened(window, { keydown: pressed }), []);
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
          options={named<number>(SPEEDS, (frames) => fill(texts.time.perSecond, { frames }))}
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
      <div class="timeline-place">{shown.value && <Lazy name="timeline" load={loadTimeline} isSilent />}</div>
    </section>
  );
}
