// A button that sends something to a program through the SAMP hub of the user's computer.
import { useSignal } from '@preact/signals';
import { sentenceOf } from '../api/request.ts';
import { SampError, sendMessage } from '../api/samp.ts';
import { dataTexts } from '../texts/more.ts';
import { fill } from '../texts.ts';

/** A message by its type (MType) and parameters. */
export interface SampMessage {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface SendButtonProps {
  /** The program that understands the message, for people. */
  readonly program: string;
  readonly message: () => SampMessage | Promise<SampMessage>;
  /** What is said after success. */
  readonly sent?: string;
}

export function SendButton({ program, message, sent }: SendButtonProps) {
  const isSending = useSignal(false);
  const state = useSignal('');
  const words = dataTexts.samp;
  const failures = {
    noHub: fill(words.noHub, { program }),
    refused: words.refused,
    noReceiver: fill(words.noReceiver, { program }),
  };
  const send = async () => {
    isSending.value = true;
    state.value = words.sending;
    try {
      const { type, parameters } = await message();
      await sendMessage(type, parameters);
      state.value = sent ?? fill(words.sent, { program });
    } catch (error) {
      state.value = error instanceof SampError ? failures[error.failure] : sentenceOf(error);
    }
    isSending.value = false;
  };
  return (
    <p>
      <button type="button" disabled={isSending.value} onClick={() => void send()}>
        {fill(words.send, { program })}
      </button>{' '}
      <span role="status" class="quiet">
        {state.value}
      </span>
    </p>
  );
}
