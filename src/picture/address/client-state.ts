// A view that the official web client shared, as an address of the explorer, so that both are read and noted in the same way.
import { isDate } from '../../domain/time.ts';

/** A value of a group of layers, without the marks of the notation. */
function element(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).replace(/[[\],]/g, ' ') : '';
}

const HIDDEN: readonly unknown[] = [false, 0, 'false', '0'];

function groupOf(value: unknown): string {
  const { sourceId, nickname, visible, opacity, difference, diffCount, diffTime, baseDiffTime } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const source = element(sourceId) || element(nickname) || '?';
  const parts = [source, HIDDEN.includes(visible) ? '0' : '1', element(opacity)];
  const code = Number(difference);
  if (code === 1) parts.push('1', element(diffCount), element(diffTime));
  if (code > 1) parts.push(element(code), '', '', element(baseDiffTime));
  return `[${parts.join(',')}]`;
}

function dateText(date: unknown): string {
  if (date === null || date === undefined) return '';
  return typeof date === 'number' && isDate(date) ? new Date(date).toISOString() : String(date);
}

/** The address of the view, without events and bodies. */
export function addressOfClientState(state: object): URLSearchParams {
  const { date, imageLayers, ...place } = state as Record<string, unknown>;
  const query = new URLSearchParams({ date: dateText(date) });
  for (const name of ['centerX', 'centerY', 'imageScale']) query.set(name, String(place[name] ?? ''));
  if (Array.isArray(imageLayers)) query.set('imageLayers', imageLayers.map(groupOf).join(',') || '[]');
  return query;
}
