// A webhook with its state, its actions, and its dead letters when they are open.
import { useSignal } from '@preact/signals';
import type { DeadLetter, Hook } from './requests.ts';
import { perform, type Told } from './state.ts';

const timeText = (iso: string) => `${iso.replace('T', ' ').replace('Z', '')} UTC`;

function subjectOf({ sources, eventTypes }: Hook): string {
  const images = sources.length > 0 ? [`images of ${sources.length > 1 ? 'the sources' : 'source'} ${sources.join(', ')}`] : [];
  const events = eventTypes.length > 0 ? [`events of the types ${eventTypes.join(', ')}`] : [];
  return [...images, ...events].join('; ');
}

async function testOf({ id }: Hook): Promise<void> {
  await perform(async (service): Promise<Told> => {
    const { isReceived, status, sentence } = await service.test(id);
    if (isReceived) return `Webhook ${id} received the test (status ${status}).`;
    return { failure: `Webhook ${id} did not receive the test. ${sentence}` };
  });
}

/** A button that asks once more before it acts. */
function RemoveButton({ what, remove }: { readonly what: string; readonly remove: () => Promise<void> }) {
  const isAsked = useSignal(false);
  const ask = (value: boolean) => {
    isAsked.value = value;
  };
  if (!isAsked.value) {
    return (
      <button type="button" onClick={() => ask(true)}>
        Remove<span class="unseen"> {what}</span>
      </button>
    );
  }
  return (
    <>
      <button type="button" class="bad" onClick={remove}>
        Remove {what} for good
      </button>
      <button type="button" onClick={() => ask(false)}>
        Keep it
      </button>
    </>
  );
}

interface LettersProps {
  readonly hook: Hook;
  readonly letters: readonly DeadLetter[];
  /** Performs an action and reads the letters again. */
  readonly act: typeof perform;
}

function DeadLetters({ hook, letters, act }: LettersProps) {
  if (letters.length === 0) return <p>There are no dead letters.</p>;
  return (
    <ul aria-label={`Dead letters of webhook ${hook.id}`}>
      {letters.map(({ id, type, items, created, tried, sentence }) => (
        <li key={id}>
          <p>
            <code>{type}</code> with {items} {items === 1 ? 'item' : 'items'}, made at {timeText(created)}
            {tried && `, last tried at ${timeText(tried)}`}
          </p>
          <p class="bad">{sentence}</p>
          <button
            type="button"
            onClick={() => act((service) => service.sendAgain(hook.id, id).then(() => 'The delivery is sent within a minute.'))}
          >
            Send again
          </button>
          <RemoveButton
            what="this delivery"
            remove={() => act((service) => service.removeLetter(hook.id, id).then(() => 'The delivery is removed.'))}
          />
        </li>
      ))}
    </ul>
  );
}

export function HookItem({ hook }: { readonly hook: Hook }) {
  const { id, address, state, sentence, failingSince, lastReceived, waiting, dead } = hook;
  /** Null while they are closed. */
  const letters = useSignal<readonly DeadLetter[] | null>(null);
  const withLetters: typeof perform = (action) =>
    perform(async (service) => {
      const told = await action(service);
      letters.value = await service.deadLetters(id);
      return told;
    });
  const toggleLetters = async () => {
    if (letters.value) letters.value = null;
    else await withLetters(async () => null);
  };
  const isGood = state === 'active' && failingSince === null;
  return (
    <li>
      <h3>{`${id}: ${address}`}</h3>
      <p>{subjectOf(hook)}</p>
      <p class={isGood ? 'good' : 'bad'}>
        {state}
        {state === 'active' && failingSince && `, failing since ${timeText(failingSince)}`}
      </p>
      {sentence && <p class="bad">{sentence}</p>}
      <p class="quiet">
        {lastReceived ? `Last received at ${timeText(lastReceived)}` : 'Nothing received yet'}; {waiting} waiting, {dead} dead
      </p>
      <button type="button" onClick={() => testOf(hook)}>
        Test<span class="unseen"> webhook {id}</span>
      </button>
      {state === 'paused' && (
        <button type="button" onClick={() => perform((service) => service.resume(id).then(() => `Webhook ${id} is resumed.`))}>
          Resume<span class="unseen"> webhook {id}</span>
        </button>
      )}
      <button type="button" aria-expanded={letters.value !== null} onClick={toggleLetters}>
        Dead letters ({dead})<span class="unseen"> of webhook {id}</span>
      </button>
      <RemoveButton
        what={`webhook ${id}`}
        remove={() => perform((service) => service.remove(id).then(() => `Webhook ${id} is removed.`))}
      />
      {letters.value && <DeadLetters hook={hook} letters={letters.value} act={withLetters} />}
    </li>
  );
}
