// A button that sends something to a program through the SAMP hub of the user's computer.

import { useSignal } from '@preact/signals';
import { sentenceOf } from '../api/request.ts';
import { SampError, sendMessage } from '../api/samp.ts';
import { Button } from '../page/controls.tsx';
import { dataTexts } from '../texts/more.ts';
import { fill } from '../texts.ts';

export interface SampMessage {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface SendButtonProps {
  readonly program: string;
  readonly message: () => SampMessage | Promise<SampMessage>;
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
      <Button label={fill(words.send, { program })} act={() => void send()} disabled={isSending.value} />{' '}
      <span role="status" class="quiet">
        {state.value}
      </span>
    </p>
  );
}
