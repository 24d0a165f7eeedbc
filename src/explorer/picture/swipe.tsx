// The line between two layers or two times that are compared, with its slider and a blink.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { captioned } from '../page/caption.tsx';
import { Button, setTo, toggle } from '../page/controls.tsx';
import { currentPicture, frameOf } from '../store/open.ts';
import { comparison, isMoving, screen } from '../store/state.ts';
import { compareTexts } from '../texts/more.ts';
import { imageTime } from '../texts.ts';

const BLINK_MS = 600;

/** Names and times of the shown layers, from the top. */
const captionLines = () => captioned(screen.value!).map(({ name, image }) => `${name} ${imageTime(image)}`);

const redraw = () => currentPicture()?.redraw();
const meetAt = (share: number) => {
  if (comparison.value) comparison.value = { ...comparison.value, share };
  redraw();
};

/** Begins a comparison of the top layer with those below, or of the shown time with others. */
export function compare(what: 'layers' | 'time'): void {
  const held = what === 'time' ? { frame: frameOf(screen.value!), caption: captionLines().join(', ') } : null;
  comparison.value = { held, share: 0.5 };
}

export function Swipe() {
  const isBlinking = useSignal(false);
  useEffect(() => {
    redraw();
    return () => void redraw();
  }, []);
  useEffect(() => {
    if (!isBlinking.value) return;
    const timer = setInterval(() => meetAt(comparison.value?.share === 0 ? 1 : 0), BLINK_MS);
    return () => clearInterval(timer);
  }, [isBlinking.value]);
  if (isMoving.value || !comparison.value || !screen.value) return null;
  const { held, share } = comparison.value;
  const [top, ...below] = captionLines();
  const words = compareTexts;
  return (
    <section class="swipe" aria-label={words.title}>
      <div class="swipe-line" style={{ left: `${100 * share}%` }}>
        <span>{held?.caption ?? below.join(', ')}</span>
        <span>{held ? [top, ...below].join(', ') : top}</span>
      </div>
      <div class="swipe-tools">
        <input
          type="range"
          min="0"
          max="100"
          value={100 * share}
          aria-label={words.meet}
          onInput={(event) => meetAt(Number(event.currentTarget.value) / 100)}
        />
        <Button label={words.blink} aria-pressed={isBlinking.value} act={toggle(isBlinking)} />
        <Button label={words.end} act={setTo(comparison, null)} />
      </div>
    </section>
  );
}
