// The explorer: the first view from the page itself, then the controls around it.
import { render } from 'preact';
import { App } from './shell/app.tsx';
import { boot } from './store/boot.ts';

if (boot()) {
  const root = document.getElementById('app')!;
  const first = document.getElementById('first');
  root.replaceChildren();
  render(<App first={first} />, root);
  root.removeAttribute('aria-busy');
}
