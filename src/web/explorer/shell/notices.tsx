// Failures and substitutions, each as a sentence with a way out.
import type { ComponentChildren } from 'preact';
import { showNewest } from '../store/actions.ts';
import { distanceClass } from '../store/cadence.ts';
import { currentPicture } from '../store/open.ts';
import { baseImage, busy, notes, pictureState, shown, sourceName, trouble } from '../store/state.ts';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';
import { distanceText } from './numbers.ts';

interface NoticeProps {
  readonly kind: 'trouble' | 'note';
  readonly children: ComponentChildren;
  readonly action?: { readonly label: string; readonly act: () => void } | undefined;
  readonly onClose?: () => void;
}

function Notice({ kind, children, action, onClose }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'trouble' ? 'alert' : undefined}>
      <p>{children}</p>
      {action && (
        <button type="button" onClick={action.act}>
          {action.label}
        </button>
      )}
      {onClose && (
        <button type="button" class="round" aria-label={texts.dismiss} onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/** Says that images are more than a day from the time asked for. */
function FarNotice() {
  const far = shown.value?.images.find((image) => image && distanceClass(image) === 'far');
  if (!far) return null;
  return (
    <Notice kind="note" action={{ label: texts.noteAction, act: () => void showNewest() }}>
      {texts.far(far.name, distanceText(far.distanceSeconds))}
    </Notice>
  );
}

export function Notices() {
  const { failures } = pictureState.value;
  const missing = shown.value?.view.layers.filter(({ isVisible }, i) => isVisible && !shown.value!.images[i]) ?? [];
  const retry = trouble.value?.retry;
  return (
    <section class="notices" aria-label={texts.notices}>
      {trouble.value && (
        <Notice
          kind="trouble"
          action={retry && { label: texts.retry, act: retry }}
          onClose={() => {
            trouble.value = null;
          }}
        >
          {trouble.value.sentence}
        </Notice>
      )}
      {failures > 0 && busy.value === null && (
        <Notice kind="trouble" action={{ label: texts.retry, act: () => currentPicture()?.retry() }}>
          {texts.failures.tiles(failures)} {baseImage.value && texts.stillShown(baseImage.value)}
        </Notice>
      )}
      {notes.value.map((note, i) => (
        <Notice
          key={i}
          kind="note"
          action={{ label: texts.noteAction, act: () => void showNewest() }}
          onClose={() => {
            notes.value = notes.value.filter((one) => one !== note);
          }}
        >
          {texts.note(note, sourceName)}
        </Notice>
      ))}
      {missing.map(({ sourceId }) => (
        <Notice key={`missing-${sourceId}`} kind="note">
          {texts.noImage(sourceName(sourceId))}
        </Notice>
      ))}
      <FarNotice />
    </section>
  );
}
