// The bar above the picture.
import { useEffect } from 'preact/hooks';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { requestJson } from '../api/request.ts';
import { dialog } from '../store/state.ts';
import { fill, texts } from '../texts.ts';
import { Button, type IconName, setTo } from './controls.tsx';
import { useLoaded } from './loading.tsx';

/** Before the state of the sample archive is looked up, and between that and the next time. */
const [REST_MS, INTERVAL_MS] = [1_000, 4_000];

type Progress = { readonly done: number; readonly total: number };

const dialogButton = (name: 'seeing' | 'share' | 'help', icon: IconName) => (
  <Button id={name} class="plain" aria-haspopup="dialog" icon={icon} label={texts[name]} act={setTo(dialog, name)} />
);

export function toggleFullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.().catch(() => undefined);
}

function SampleProgress() {
  const look = async () => (await requestJson<{ readonly sample?: Progress }>('/health')).body.sample ?? null;
  const { last, failure, retry } = useLoaded('sample', look, REST_MS);
  useEffect(() => {
    const timer = last?.value && setTimeout(retry, INTERVAL_MS);
    return () => clearTimeout(timer ?? undefined);
  }, [last, failure]);
  if (!last?.value) return null;
  const { done, total } = last.value;
  const text = fill(texts.sample, { done, total });
  return (
    <p id="sample" title={text} data-short={`${done} / ${total}`}>
      <span>{text}</span>
    </p>
  );
}

export const Header = () => (
  <header class="bar">
    <h1 class="brand">
      <img src="/explorer/icon.svg" alt="" width="28" height="28" />
      {SERVICE_NAME}
    </h1>
    <SampleProgress />
    <nav aria-label={texts.pageMenu}>
      {dialogButton('seeing', 'question')}
      {dialogButton('share', 'share')}
      {document.fullscreenEnabled && <Button class="plain" icon="full" label={texts.fullScreen} act={toggleFullScreen} />}
      {dialogButton('help', 'keyboard')}
    </nav>
  </header>
);
