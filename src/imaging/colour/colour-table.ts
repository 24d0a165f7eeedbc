import { findSource } from '../../domain/catalogue/sources.ts';
import { channelValues } from './channels.ts';
import { TABLES } from './tables.ts';

const GRAY = 'Gray';
const built = new Map<string, Uint8Array>();

function build(name: string): Uint8Array {
  if (!Object.hasOwn(TABLES, name)) throw new RangeError(`Expected the name of a colour table, got ${name}.`);
  const channels = TABLES[name]!.map(channelValues);
  return Uint8Array.from({ length: 256 * 3 }, (_, i) => channels[i % 3]![Math.floor(i / 3)]!);
}

/**
 * The colours of the 256 samples, RGB after RGB: of a table by name, or of a source by id, which is gray when the source
 * has none of its own. Shared between callers, so not to be written to. Throws RangeError for an unknown name or id.
 */
export function colourTable(key: string | number): Uint8Array {
  const source = typeof key === 'number' ? findSource(key) : undefined;
  if (typeof key === 'number' && !source) throw new RangeError(`Expected the id of a datasource, got ${key}.`);
  const name = source ? (source.colourTable ?? GRAY) : String(key);
  let table = built.get(name);
  if (!table) {
    table = build(name);
    built.set(name, table);
  }
  return table;
}
