import type { NewScreenshot, Screenshot, ScreenshotBudget, ScreenshotRegister } from '../../../src/ports/rendering.ts';

/** Register of screenshots in a list. Only their pixels are charged. */
export class MemoryScreenshots implements ScreenshotRegister {
  readonly rows: (NewScreenshot & Screenshot)[] = [];

  async add(screenshot: NewScreenshot, { clients, sinceMs, pixels }: ScreenshotBudget): Promise<Screenshot | null> {
    const charged = this.rows.filter(({ client, createdAtMs }) => clients.includes(client) && createdAtMs >= sinceMs);
    if (charged.reduce((sum, row) => sum + row.pixels, screenshot.pixels) > pixels) return null;
    const row = { ...screenshot, id: this.rows.length + 1 };
    this.rows.push(row);
    return row;
  }

  async find(id: number): Promise<Screenshot | null> {
    return this.rows.find((row) => row.id === id) ?? null;
  }

  async expire(): Promise<number> {
    throw new Error('Expected the database.');
  }
}
