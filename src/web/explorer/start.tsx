// The explorer: the first view from the page itself, then the controls around it.
import './core.ts';
import { mount } from './mount.tsx';
import { App } from './shell/app.tsx';

export const start = (): void => mount(App);
