// Failures and substitutions, each as a sentence with a way out.
import type { ComponentChildren } from 'preact';
import type { Note } from '../../picture/address/view.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { removeLayer, showNewest } from '../store/actions.ts';
import { isEmbedded } from '../store/address.ts';
import { distanceClass } from '../store/cadence.ts';
import { currentPicture } from '../store/open.ts';
import { baseImage, busy, notes, panel, pictureState, shown, sourceName, trouble } from '../store/state.ts';
import { distanceText, fill, imageTime, texts } from '../texts.ts';
import { Button, IconButton, setTo } from './controls.tsx';

interface NoticeProps {
  readonly kind: 'trouble' | 'note';
  readonly children: ComponentChildren;
  readonly action?: { readonly label: string; readonly act: () => void } | undefined;
  readonly onClose?: () => void;
}

const Notice = ({ kind, children, action, onClose }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'trouble' ? 'alert' : undefined}>
    <p>{children}</p>
    {action && <Button label={action.label} act={action.act} />}
    {onClose && <IconButton icon="close" label={texts.dismiss} act={onClose} />}
  </div>
);

/** Tools for subjects of notes; the others are about layers. */
const WAYS: Readonly<Partial<Record<Note['kind'], keyof typeof texts.noteWays | 'fit'>>> = {
  'bad-date': 'date',
  'bad-play': 'date',
  'bad-place': 'fit',
  'half-place': 'fit',
  sample: 'presets',
  'unknown-event': 'events',
};

/** The way out of a substitution; none in the embedded picture, which has no tools. */
function wayOut({ kind }: Pick<Note, 'kind'>): NoticeProps['action'] {
  if (isEmbedded()) return undefined;
  const way = WAYS[kind] ?? 'layers';
  if (way === 'fit') return { label: texts.fit, act: () => currentPicture()?.fit() };
  if (way === 'date') return { label: texts.noteWays.date, act: () => document.getElementById('date')?.focus() };
  return { label: texts.noteWays[way], act: setTo(panel, way) };
}

function noteText(note: Note): string {
  const isIgnored = note.kind === 'unknown-source' && !note.instead;
  return fill(texts.notes[isIgnored ? 'unknown-source-ignored' : note.kind], { ...note, most: RECIPE_LIMITS.layers });
}

function dismiss(note: Note): void {
  notes.value = notes.value.filter((one) => one !== note);
}

export function Notices() {
  const { failures } = pictureState.value;
  const { view, images } = shown.value ?? {};
  const missing =
    view?.layers.flatMap(({ isVisible, sourceId }, index) => (isVisible && !images?.[index] ? [{ sourceId, index }] : [])) ?? [];
  const far = images?.find((image) => image && distanceClass(image) === 'far');
  const again = () => {
    const retry = trouble.value?.retry;
    trouble.value = null;
    retry?.();
  };
  return (
    <section class="notices" aria-label={texts.notices}>
      {trouble.value && (
        <Notice kind="trouble" action={trouble.value.retry && { label: texts.retry, act: again }} onClose={setTo(trouble, null)}>
          {trouble.value.sentence}
        </Notice>
      )}
      {failures > 0 && busy.value === null && (
        <Notice kind="trouble" action={{ label: texts.retry, act: () => currentPicture()?.retry() }}>
          {fill(texts.failures.tiles, { count: failures })}{' '}
          {baseImage.value && fill(texts.stillShown, { ...baseImage.value, time: imageTime(baseImage.value) })}
        </Notice>
      )}
      {notes.value.map((note, i) => (
        <Notice key={i} kind="note" action={wayOut(note)} onClose={() => dismiss(note)}>
          {noteText(note)}
        </Notice>
      ))}
      {missing.map(({ sourceId, index }) => (
        <Notice
          key={`missing-${index}`}
          kind="note"
          action={{ label: fill(texts.layers.remove, { name: sourceName(sourceId) }), act: () => void removeLayer(index) }}
        >
          {fill(texts.noImage, { name: sourceName(sourceId) })}
        </Notice>
      ))}
      {view?.layers.every(({ isVisible }) => !isVisible) && (
        <Notice kind="note" action={wayOut({ kind: 'all-hidden' })}>
          {texts.layers.allHidden}
        </Notice>
      )}
      {far && (
        <Notice kind="note" action={{ label: texts.noteAction, act: () => void showNewest() }}>
          {fill(texts.far, { name: far.name, distance: distanceText(far.distanceSeconds) })}
        </Notice>
      )}
    </section>
  );
}
