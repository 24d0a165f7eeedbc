// The dialogs of the bar: their frame, and their content, which loads when one is first opened.
import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type DialogName, dialog } from '../store/state.ts';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';

const TITLES: Readonly<Record<DialogName, string>> = { seeing: texts.seeing, share: texts.shareTitle, help: texts.helpTitle };

function Content({ name }: { readonly name: DialogName }) {
  const loaded = useSignal<Readonly<Record<DialogName, FunctionComponent>> | null>(null);
  useEffect(() => {
    import('../panels/dialog-contents.tsx').then(
      ({ DIALOGS }) => {
        loaded.value = DIALOGS;
      },
      () => {
        dialog.value = null;
      },
    );
  }, [loaded]);
  const Loaded = loaded.value?.[name];
  return Loaded ? <Loaded /> : <p class="quiet">{texts.loading}</p>;
}

function Frame({ name }: { readonly name: DialogName }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const close = () => element.current?.close();
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-name"
      onClose={() => {
        dialog.value = null;
      }}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog">
        <div class="panel-head">
          <h2 id="dialog-name">{TITLES[name]}</h2>
          <button type="button" class="round" aria-label={texts.close} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <Content name={name} />
      </div>
    </dialog>
  );
}

export function Dialogs() {
  return dialog.value ? <Frame key={dialog.value} name={dialog.value} /> : null;
}
