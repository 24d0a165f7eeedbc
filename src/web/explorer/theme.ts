// The theme of the page: that of the system, or the one chosen in the help, which the browser keeps.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'helioedge.theme';
/** Colours of the browser's own bars, those of the page's bar. */
const BARS = { light: '#ffffff', dark: '#05060a' } as const;

let present: Theme = stored();

function stored(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

export const presentTheme = (): Theme => present;

/** States the theme in the page, for its style sheets and the browser. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (present === 'system') delete dataset.theme;
  else dataset.theme = present;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    meta.content = BARS[present === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : present];
  }
}

export function chooseTheme(theme: Theme): void {
  present = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Browsers refuse storage in private windows; the choice then lasts as long as the page.
  }
  applyTheme();
}
