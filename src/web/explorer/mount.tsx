// The start of a page: its component takes the place of what the service has put into it.
import { type ComponentType, render } from 'preact';
import { followHistory, openFragment } from './store/address.ts';
import { open, stay } from './store/open.ts';

/** Shows a page, whose component gets the first picture as the service made it. Does nothing while the page loads another address. */
export function mount(Page: ComponentType<{ readonly first: HTMLElement | null }>): void {
  if (openFragment()) return;
  followHistory({ open: (view) => void open(view, { history: 'follow' }), stay });
  const root = document.getElementById('app')!;
  const first = document.getElementById('first');
  root.replaceChildren();
  render(<Page first={first} />, root);
  root.removeAttribute('aria-busy');
}
