// The address in a file of the service (sun/provenance.ts), and the view that shows it.

const BEGINNING = 'Address: /';
/** A card of FITS, and the characters of its text behind the keyword. */
const CARD = { characters: 80, text: 72 };
const NAMED_LINE = /^[A-Z][a-z]+: /;

/** The first address in the bytes of a file: as the lines of HISTORY of FITS, or as text of any other format. */
export function addressIn(bytes: Uint8Array): string | null {
  const text = new TextDecoder('latin1').decode(bytes);
  const start = text.indexOf(BEGINNING);
  if (start < 0) return null;
  let line = text.slice(start);
  if (text.slice(start - 8, start) === 'HISTORY ') {
    line = '';
    for (let at = start; ; at += CARD.characters) {
      const piece = text.slice(at, at + CARD.text);
      if (line !== '' && NAMED_LINE.test(piece)) break;
      line += piece.trimEnd();
      if (piece.endsWith(' ')) break;
    }
  }
  return /\/[!-;=-~]*/.exec(line)![0].replaceAll('&amp;', '&');
}

const OPERATION = /^\/v2\/(\w+)\/\?/;
/** Parameters of requests that views have by the same name. */
const OF_VIEW = /^(imageScale|colour|grid|projection|\w+s)$/;
const NOT_OF_VIEW = /^(layers|switchSources|startTimes|endTimes|statistics)$/;

/**
 * The address of the page for a request. Null where it needs the image of an id, or is no address of the service.
 * @param address path and query
 */
export function viewOf(address: string): string | null {
  if (address.startsWith('/?')) return address;
  if (!OPERATION.test(address)) return null;
  const given = new URLSearchParams(address.slice(address.indexOf('?')));
  const layers = given.get('layers') ?? (given.has('sourceId') ? `[${given.get('sourceId')},1,100]` : null);
  const date = given.get('date') ?? given.get('startTime');
  if (layers === null || date === null) return null;
  const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map((name) => Number(given.get(name) ?? Number.NaN));
  const place = Number.isNaN(x1! + y1! + x2! + y2!) ? [] : [`centerX=${(x1! + x2!) / 2}`, `centerY=${(y1! + y2!) / 2}`];
  const others = [...given].filter(([name]) => OF_VIEW.test(name) && !NOT_OF_VIEW.test(name));
  const kept = place.length > 0 ? others : others.filter(([name]) => name !== 'imageScale');
  return `/?${[`date=${date}`, `imageLayers=${layers}`, ...place, ...kept.map(([name, value]) => `${name}=${value}`)].join('&')}`;
}
