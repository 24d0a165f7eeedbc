// What the browser keeps in its storage, which it refuses in private windows: there it lasts as long as the page.

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Refused.
  }
}
