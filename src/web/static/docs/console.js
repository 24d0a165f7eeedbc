// The console of an operation: a form with its parameters, the request as an address and as a curl line, and the response.

/** Characters of a text response that are shown. */
const SHOWN_CHARACTERS = 20_000;

/** Ids of earlier responses of this page, in place of those of the examples. */
const knownIds = new Map();

/** The operation whose responses have the ids that another operation takes. */
function sourceOfIds(path) {
  if (/Movie/.test(path)) return 'movie';
  if (/Screenshot/.test(path)) return 'screenshot';
  return /getTile|getJP2|downloadImage/.test(path) ? 'image' : null;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function fieldOf(id, name, value) {
  const input = element('input', { id: `${id}-${name}`, name, autocomplete: 'off', spellcheck: 'false' });
  input.value = value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return [element('label', { for: `${id}-${name}` }, name), input];
}

/** A value of a JSON body: objects and lists as such, everything else as text, which the service reads as it does a query. */
function bodyValue(text) {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function requestOf({ path, method }, form) {
  const given = [...new FormData(form)].filter(([, value]) => value !== '');
  if (method === 'POST') {
    const body = JSON.stringify(Object.fromEntries(given.map(([name, value]) => [name, bodyValue(value)])));
    return { url: location.origin + path, init: { method, headers: { 'Content-Type': 'application/json' }, body } };
  }
  const query = new URLSearchParams(given).toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return { url: location.origin + path + (query === '' ? '' : `?${query}`), init: {} };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curlLine({ url, init }) {
  if (!init.body) return `curl ${quoted(url)}`;
  return `curl ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(init.body)}`;
}

/** The response as an element. */
async function shown(response) {
  const type = response.headers.get('Content-Type') ?? '';
  if (/^(image\/(png|jpeg|webp)|video\/)/.test(type)) {
    const url = URL.createObjectURL(await response.blob());
    if (type.startsWith('image/')) return element('img', { src: url, alt: 'The picture of the response' });
    return element('p', {}, element('a', { href: url, download: '' }, 'Save the movie'));
  }
  if (!/json|^text\//.test(type)) {
    const { size } = await response.blob();
    return element('p', {}, `${size} bytes of ${type || 'unnamed content'}.`);
  }
  const text = await response.text();
  const printed = /^application\/json/.test(type) && text !== '' ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const cut = printed.length > SHOWN_CHARACTERS ? `${printed.slice(0, SHOWN_CHARACTERS)}\n…` : printed;
  return element('pre', { tabindex: '0' }, element('code', {}, cut));
}

/** Headers worth seeing. */
function headersOf(response) {
  const named = [...response.headers].filter(([name]) =>
    /^(x-(?!content)|content-type|retry-after|cache-control|etag)/.test(name),
  );
  return named.map(([name, value]) => `${name}: ${value}`).join('\n');
}

async function remember(path, response) {
  if (!response.ok || !/json/.test(response.headers.get('Content-Type') ?? '')) return;
  const { id } = (await response.clone().json()) ?? {};
  if (id === undefined) return;
  if (/queueMovie|postMovie/.test(path)) knownIds.set('movie', id);
  if (/takeScreenshot|postScreenshot/.test(path)) knownIds.set('screenshot', id);
  if (/getClosestImage/.test(path)) knownIds.set('image', id);
}

/** Sends the request and shows the response in `output`. */
async function send(facts, form, output) {
  const request = requestOf(facts, form);
  output.replaceChildren(element('p', {}, 'Waiting for the response …'));
  output.setAttribute('aria-busy', 'true');
  const started = performance.now();
  try {
    const response = await fetch(request.url, request.init);
    await remember(facts.path, response);
    const took = Math.round(performance.now() - started);
    const status = `${response.status} ${response.statusText}, ${took} ms`;
    output.replaceChildren(
      element('p', { class: response.ok ? 'good' : 'bad' }, status),
      element('pre', { tabindex: '0' }, element('code', {}, headersOf(response))),
      await shown(response),
    );
  } catch {
    output.replaceChildren(
      element('p', { class: 'bad' }, 'No response came, or it leads to another site. Is the service running?'),
    );
  }
  output.removeAttribute('aria-busy');
}

/** Replaces a button "Try it" by the console of its operation. */
export function openConsole(button) {
  const facts = JSON.parse(button.dataset.try);
  const id = `try-${facts.path.replaceAll('/', '')}`;
  const example = { ...facts.example };
  const known = knownIds.get(sourceOfIds(facts.path));
  if (known !== undefined && 'id' in example) example.id = known;
  const title = element('h4', { tabindex: '-1' }, 'Try it');
  const fields = element('div', { class: 'fields' });
  const others = element('div', { class: 'fields' });
  for (const name of facts.names) (name in example ? fields : others).append(...fieldOf(id, name, example[name]));
  const address = element('code');
  const curl = element('code');
  const output = element('div', { class: 'response', role: 'status' });
  const form = element('form', { class: 'console' }, title, fields);
  if (others.childElementCount > 0) {
    form.append(element('details', {}, element('summary', {}, 'Further parameters'), others));
  }
  form.append(
    element('p', { class: 'caption' }, 'Address'),
    element('pre', { tabindex: '0' }, address),
    element('p', { class: 'caption' }, 'curl'),
    element('pre', { tabindex: '0' }, curl),
    element('button', {}, 'Send'),
    output,
  );
  const show = () => {
    const request = requestOf(facts, form);
    address.textContent = request.url;
    curl.textContent = curlLine(request);
  };
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(facts, form, output);
  });
  show();
  button.replaceWith(form);
  title.focus();
}
