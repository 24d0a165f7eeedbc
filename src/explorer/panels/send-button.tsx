// A button that sends something to a program by the Web Profile of SAMP (IVOA recommendation 1.3, section 5): calls by XML-RPC to a hub on the
// user's computer.
import { useSignal } from '@preact/signals';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeXml } from '../../platform/util/markup.ts';
import { sentenceOf } from '../api/request.ts';
import { Button } from '../page/controls.tsx';
import { dataTexts } from '../texts/more.ts';
import { fill } from '../texts.ts';

/** Address of every hub with the Web Profile. The policy of the page allows connections to it. */
const HUB = 'http://127.0.0.1:21012/';
/** The hub asks its user whether this page may connect. */
const REGISTER_MS = 60_000;
const CALL_MS = 10_000;

class SampError extends Error {
  /** Why a message has not been sent: no hub answers, it refused, or no program understands the message. */
  declare readonly message: 'noHub' | 'refused' | 'noReceiver';
}

/** SAMP has texts, lists and maps. */
type SampValue = string | { readonly [name: string]: SampValue };

function valueXml(value: SampValue): string {
  if (typeof value === 'string') return `<value><string>${escapeXml(value)}</string></value>`;
  const members = Object.entries(value).map(([name, of]) => `<member><name>${escapeXml(name)}</name>${valueXml(of)}</member>`);
  return `<value><struct>${members.join('')}</struct></value>`;
}

/** The response to a call of the hub. @throws SampError */
async function call(method: string, parameters: readonly SampValue[], { timeoutMs = CALL_MS, keepalive = false } = {}) {
  const params = parameters.map((value) => `<param>${valueXml(value)}</param>`).join('');
  const body = `<?xml version="1.0"?><methodCall><methodName>samp.webhub.${method}</methodName><params>${params}</params></methodCall>`;
  const signal = AbortSignal.timeout(timeoutMs);
  const text = await fetch(HUB, { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body, signal, keepalive }).then(
    (response) => response.text(),
    (error: unknown) => {
      throw new SampError(error instanceof DOMException && error.name === 'TimeoutError' ? 'refused' : 'noHub');
    },
  );
  const answer = new DOMParser().parseFromString(text, 'text/xml');
  if (answer.querySelector('methodResponse > params') === null) throw new SampError('refused');
  return answer;
}

/** The private key that the hub has given to this page. */
let registration: Promise<string> | null = null;

async function register(): Promise<string> {
  const answer = await call('register', [{ 'samp.name': SERVICE_NAME }], { timeoutMs: REGISTER_MS });
  const key = answer.evaluate('string(//member[name = "samp.private-key"]/value)', answer).stringValue.trim();
  if (key === '') throw new SampError('refused');
  return key;
}

/**
 * Notifies all programs with the key of this page, which registers at the first message. It stays registered until it is left: the hub asks
 * its user once, and hubs that deliver a message after they have answered lose that of a client that has unregistered in between.
 */
async function notifyAll(message: SampValue, mayRepeat = registration !== null): Promise<Document> {
  registration ??= register();
  const used = registration;
  try {
    return await call('notifyAll', [await used, message]);
  } catch (error) {
    if (registration === used) registration = null;
    // The hub that knew this page may have been started again.
    if (mayRepeat) return notifyAll(message, false);
    throw error;
  }
}

addEventListener('pagehide', () => {
  void registration?.then((key) => call('unregister', [key], { keepalive: true })).catch(() => undefined);
  registration = null;
});

/** Sends a message to all programs that understand it. @throws SampError also where there is none */
async function sendMessage(type: string, parameters: { readonly [name: string]: string }): Promise<void> {
  const answer = await notifyAll({ 'samp.mtype': type, 'samp.params': parameters });
  if (!answer.querySelector('params > param > value > array > data > value')) throw new SampError('noReceiver');
}

export type SampMessage = { readonly type: string; readonly parameters: Readonly<Record<string, string>> };

interface SendButtonProps {
  readonly program: string;
  readonly message: () => SampMessage | Promise<SampMessage>;
  readonly sent?: string;
}

export function SendButton({ program, message, sent }: SendButtonProps) {
  const isSending = useSignal(false);
  const state = useSignal('');
  const words = dataTexts.samp;
  const failures = { noHub: words.noHub, refused: words.refused, noReceiver: words.noReceiver };
  const send = async () => {
    isSending.value = true;
    state.value = words.sending;
    try {
      const { type, parameters } = await message();
      await sendMessage(type, parameters);
      state.value = sent ?? fill(words.sent, { program });
    } catch (error) {
      state.value = error instanceof SampError ? fill(failures[error.message], { program }) : sentenceOf(error);
    }
    isSending.value = false;
  };
  return (
    <p>
      <Button label={fill(words.send, { program })} act={() => void send()} disabled={isSending.value} />{' '}
      <span role="status" class="quiet">
        {state.value}
      </span>
    </p>
  );
}
