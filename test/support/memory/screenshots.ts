import type { Screenshot, ScreenshotRegister } from '../../../src/ports/rendering.ts';

/** Register of screenshots in a list. */
export class MemoryScreenshots implements ScreenshotRegister {
  readonly rows: Screenshot[] = [];

  async add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot> {
    const row = { ...screenshot, id: this.rows.length + 1 };
    this.rows.push(row);
    return row;
  }

  async find(id: number): Promise<Screenshot | null> {
    return this.rows.find((row) => row.id === id) ?? null;
  }
}
