// Keys that work anywhere on the page but in fields.
import { toggleFullScreen } from '../page/header.tsx';
import { showBefore, step } from '../store/actions.ts';
import { pause } from '../store/open.ts';
import { isPlaying, shown } from '../store/state.ts';
import { stepUnit } from './moments.ts';
import { play } from './play.ts';

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

export function addShortcuts(): () => void {
  const listen = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'p' && shown.value) {
      event.preventDefault();
      return void import('../saving/picture-dialog.tsx').then(({ printPicture }) => printPicture()).catch(() => print());
    }
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
    const target = event.target as Element;
    if (!act || target.matches(FIELDS) || (event.key === ' ' && target.matches(PRESSED_BY_SPACE))) return;
    event.preventDefault();
    act();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}
