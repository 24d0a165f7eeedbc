// The page of webhooks for operators: asks for a token, which only the memory of the page keeps, lists webhooks, registers, tests and removes
// them, and shows their dead letters.
import { signal } from '@preact/signals';
import { render } from 'preact';
import { HookItem } from './hook-item.tsx';
import { RequestError, WebhookRequests } from './requests.ts';
import { hooks, message, perform, requests } from './state.ts';

/** The webhook that has just been registered, with its secret. */
const registered = signal<{ readonly id: number; readonly secret: string } | null>(null);

const fieldOf = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name)).trim();
const listOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

async function open(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const given = new WebhookRequests(fieldOf(event.currentTarget as HTMLFormElement, 'token'));
  await perform(async () => {
    hooks.value = await given.list();
    requests.value = given;
    return null;
  });
}

async function add(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  await perform(async (service) => {
    const sources = listOf(fieldOf(form, 'sources')).map(Number);
    if (sources.some(Number.isNaN)) throw new RequestError('Write the datasources as numbers, such as 10, 13.');
    const eventTypes = listOf(fieldOf(form, 'eventTypes').toUpperCase());
    const added = await service.add({ address: fieldOf(form, 'address'), sources, eventTypes });
    registered.value = added;
    form.reset();
    return `Webhook ${added.id} is registered.`;
  });
}

const TokenForm = () => (
  <form onSubmit={open}>
    <p>
      Webhooks tell programs of new images and events (<a href="/docs/">documentation</a>). Operators register them, with a token
      that has the scope <code>webhooks</code>. This page forgets the token when it is closed.
    </p>
    <label>
      Token <input name="token" type="password" autocomplete="off" required />
    </label>
    <button type="submit">Open</button>
  </form>
);

const NewHook = () => (
  <form onSubmit={add}>
    <h2>Register a webhook</h2>
    <label>
      Address, with https <input name="address" type="url" placeholder="https://hooks.example.org/sun" required />
    </label>
    <label>
      Datasources with new images, as 10, 13 <input name="sources" inputmode="numeric" />
    </label>
    <label>
      Types of new events, as FL, CE <input name="eventTypes" autocapitalize="characters" />
    </label>
    <button type="submit">Register</button>
    {registered.value && (
      <p class="secret">
        The secret of webhook {registered.value.id}, which is not shown again: <code>{registered.value.secret}</code>
      </p>
    )}
  </form>
);

function App() {
  const { sentence, isGood } = message.value;
  return (
    <>
      <h1>Webhooks</h1>
      <p role="status" class={isGood ? 'good' : 'bad'}>
        {sentence}
      </p>
      {requests.value ? (
        <>
          <h2>Registered</h2>
          {hooks.value.length === 0 && <p>There is no webhook.</p>}
          <ul>
            {hooks.value.map((hook) => (
              <HookItem key={hook.id} hook={hook} />
            ))}
          </ul>
          <NewHook />
        </>
      ) : (
        <TokenForm />
      )}
    </>
  );
}

const root = document.getElementById('webhooks')!;
root.replaceChildren();
render(<App />, root);
