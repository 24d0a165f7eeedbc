// The theme of the page: that of the system, or the one chosen in the help, which the browser keeps.
import { keep, kept } from './store/kept.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'helioedge.theme';
/** Colours of the browser's own bars, those of the page's bar. */
const BARS = { light: '#ffffff', dark: '#05060a' } as const;

let present: Theme = THEMES.find((theme) => theme === kept(KEY)) ?? 'system';

export const presentTheme = (): Theme => present;

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (present === 'system') delete dataset.theme;
  else dataset.theme = present;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]'))
    meta.content = BARS[present === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : present];
}

export function chooseTheme(theme: Theme): void {
  present = theme;
  keep(KEY, theme);
  applyTheme();
}
