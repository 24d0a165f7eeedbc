// The dialogs of the bar: their frame, and their content, which loads when one is first opened.
import { useEffect, useRef } from 'preact/hooks';
import { type DialogName, dialog } from '../store/state.ts';
import { texts } from '../texts.ts';
import { IconButton, setTo } from './controls.tsx';
import { Lazy } from './loading.tsx';

const TITLES: Readonly<Record<DialogName, string>> = {
  seeing: texts.seeing,
  share: texts.shareTitle,
  help: texts.helpTitle,
  calendar: texts.calendar.title,
  glossary: texts.glossary,
  picture: texts.make.picture,
};

const load = async (name: DialogName) =>
  name === 'picture'
    ? (await import('../saving/picture-dialog.tsx')).PictureDialog
    : (await import('../panels/dialog-contents.tsx')).DIALOGS[name];

function Frame({ name }: { readonly name: DialogName }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  const close = () => element.current?.close();
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-name"
      onClose={setTo(dialog, null)}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog">
        <div class="panel-head">
          <h2 id="dialog-name">{TITLES[name]}</h2>
          <IconButton icon="close" label={texts.close} act={close} />
        </div>
        <Lazy name={`dialog ${name}`} load={() => load(name)} />
      </div>
    </dialog>
  );
}

export function Dialogs() {
  return dialog.value ? <Frame key={dialog.value} name={dialog.value} /> : null;
}
