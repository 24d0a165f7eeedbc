// The archive that a world mirrors: a tree of folders with index pages, which fails, hangs and lies at times.
import type { WorldFile } from '../files.ts';
import { never, type Scheduler } from '../scheduler.ts';

export type MirrorFault = 'error' | 'busy' | 'cut' | 'short' | 'hang';

export const MIRRORED = 'http://mirrored.example.org/data';

export class MirroredArchive {
  readonly files = new Map<string, WorldFile>();
  /** What meets the next requests. */
  faults: MirrorFault[] = [];

  async answer(url: URL, { below }: Scheduler): Promise<Response> {
    const fault = this.faults.shift();
    if (fault === 'hang') return never();
    if (fault === 'error') return new Response(null, { status: 500 });
    if (fault === 'busy') return new Response(null, { status: 503, headers: { 'Retry-After': '60' } });
    const path = url.pathname.slice('/data/'.length);
    const whole = this.files.get(path)?.bytes ?? this.#page(path);
    if (!whole) return new Response(null, { status: 404 });
    const body = fault === undefined ? whole : whole.slice(0, below(whole.length));
    // A body that is cut off has the length of the whole, one that is short has its own.
    const length = fault === 'short' ? body.length : whole.length;
    return new Response(body, { headers: { 'Content-Length': String(length) } });
  }

  #page(folder: string): Uint8Array<ArrayBuffer> | null {
    const below = [...this.files.keys()].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    const names = new Set(below.map((path) => path.replace(/\/.*/, '/')));
    const links = ['../', ...names].map((name) => `<a href="${name}">${name}</a>`);
    return names.size > 0 ? new Uint8Array(Buffer.from(`<html><body>${links.join('\n')}</body></html>`)) : null;
  }
}
