// Code for this view in tabs, and the copying of text.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { loadCatalogue } from '../api/catalogue.ts';
import { requestOf } from '../model/jhelioviewer.ts';
import { Button, onKeys, setTo } from '../page/controls.tsx';
import { currentPicture, planeCamera } from '../store/open.ts';
import { shown, sources } from '../store/state.ts';
import { dataTexts, dialogTexts, failureTexts } from '../texts/more.ts';
import { CODE, type CodeView } from './code-texts.ts';
import { SendButton } from './send-button.tsx';

export function CopyButton({ text }: { readonly text: string }) {
  const last = useSignal<{ readonly text: string; readonly isCopied: boolean } | null>(null);
  const isCopied = last.value?.text === text ? last.value.isCopied : null;
  // Pages without encryption have no clipboard.
  const copy = async () => navigator.clipboard.writeText(text);
  return (
    <span>
      <Button
        label={isCopied ? dialogTexts.copied : dialogTexts.copy}
        act={() => void copy().then(setTo(last, { text, isCopied: true }), setTo(last, { text, isCopied: false }))}
      />
      <span role="status" class="quiet">
        {isCopied === false ? failureTexts.copy : ''}
      </span>
    </span>
  );
}

function SendToJHelioviewer({ view }: Pick<CodeView, 'view'>) {
  const message = async () => {
    sources.value ??= await loadCatalogue();
    return { type: 'jhv.load.request', parameters: { value: JSON.stringify(requestOf(view, sources.value)) } };
  };
  return <SendButton program="JHelioviewer" message={message} sent={dataTexts.samp.sentToJHelioviewer} />;
}

function codeView(): CodeView | null {
  const [picture, camera] = [currentPicture(), planeCamera()];
  if (!shown.value || !picture || !camera) return null;
  const { view, images } = shown.value;
  return { view, images, camera, shownCamera: picture.camera ?? camera, size: picture.size, origin: location.origin };
}

interface CodeTabsProps {
  readonly label: string;
  readonly codes: readonly { readonly name: string; readonly text: string }[];
  readonly more?: (name: string) => ComponentChildren;
}

export function CodeTabs({ label, codes, more }: CodeTabsProps) {
  const chosen = useSignal(codes[0]!.name);
  const at = codes.findIndex(({ name }) => name === chosen.value);
  const { text } = codes[at]!;
  const move = (by: number) => {
    chosen.value = codes[(at + by + codes.length) % codes.length]!.name;
    document.getElementById(`tab-${chosen.value}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {codes.map(({ name }) => (
          <Button
            label={name}
            act={setTo(chosen, name)}
            key={name}
            id={`tab-${name}`}
            role="tab"
            aria-selected={chosen.value === name}
            aria-controls="code"
            tabIndex={chosen.value === name ? 0 : -1}
            onKeyDown={onKeys({ ArrowRight: 1, ArrowLeft: -1 }, move)}
          />
        ))}
      </div>
      <div id="code" role="tabpanel" aria-labelledby={`tab-${chosen.value}`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the area scrolls by keys */}
        <pre tabIndex={0}>{text}</pre>
        <CopyButton text={text} />
        {more?.(chosen.value)}
      </div>
    </>
  );
}

export function Code() {
  const view = codeView();
  if (!view) return null;
  return (
    <CodeTabs
      label={dataTexts.codeTitle}
      codes={Object.entries(CODE).map(([name, text]) => ({ name, text: text(view) }))}
      more={(name) => name === 'JHelioviewer' && <SendToJHelioviewer view={view.view} />}
    />
  );
}
