// Event types by source, by pin (the two characters that identify a type in requests), and by name; and how names of events compare.

/** In the order of a selection. */
export const EVENT_SOURCES = ['HEK', 'CCMC', 'RHESSI', 'WSA'] as const;

export type EventSource = (typeof EVENT_SOURCES)[number];

/** Part of the keys of pictures with events, and of outlines. Raise it when the colours, pins, labels or outlines of events are drawn otherwise. */
export const EVENT_DRAWING_VERSION = 2;

export interface EventType {
  readonly pin: string;
  readonly source: EventSource;
  readonly concept: string;
  /** Fill of its regions and pins, `rrggbb`. */
  readonly colour: string;
}

export const UNKNOWN_TYPE_COLOUR = 'd4d4d4';

const TABLES: Readonly<Record<EventSource, string>> = {
  HEK: `
AR Active Region|ff8f97
CC Coronal Cavity|ff8acc
CD Coronal Dimming|ffd391
CH Coronal Hole|fef38e
CJ Coronal Jet|9da4ff
CE CME|ffb294
CR Coronal Rain|ff85ff
CW Coronal Wave|ebff8c
EF Emerging Flux|95c6ff
ER Eruption|ff8dad
FI Filament|c8ff8d
FA Filament Activation|7bff8e
FE Filament Eruption|a3ff8d
FL Flare|7affae
LP Loop|7cffc9
OS Oscillation|81fffc
PG Plage|ab8cff
SG Sigmoid|e986ff
SP Spray Surge|ff82ff
SS Sunspot|8ce6ff
OT Other|d4d4d4
NR Nothing Reported|d4d4d4
TO Topological Object|ca89ff
HY Hypothesis|00ffff
BU UVBurst|ff6347
EE Explosive Event|fec00a
PB Prominence Bubble|b3d5e4
PT Peacock Tail|494a37
EP SEPs|e0b040
IC ICMEs|40b0e0
SR SIRs|70d070`,
  CCMC: `
C3 DONKI|f0c060
FP Solar Flare Predictions|74b0c5`,
  RHESSI: `
F2 Solar Flares|ff7070`,
  // Coronal holes have the pin of those of the HEK.
  WSA: `
MC Magnetic Connectivity|b0c4ff
CH Coronal Hole|fef38e`,
};

/** Letters on the pin of a type, those of the pins of the original service: the pin itself, but CME on ejections. */
export const pinLetters = ({ pin }: EventType): string => (pin === 'CE' ? 'CME' : pin);

export const EVENT_TYPES: readonly EventType[] = EVENT_SOURCES.flatMap((source) =>
  [...TABLES[source].matchAll(/^(\w\w) (.+)\|(\w{6})$/gm)].map(([, pin, concept, colour]) => ({
    pin: pin!,
    source,
    concept: concept!,
    colour: colour!,
  })),
);

const byPin = new Map(EVENT_TYPES.toReversed().map((type) => [type.pin, type]));

/** The types that `findEventType` finds, one of each pin. */
export const PIN_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => byPin.get(type.pin) === type);

/** Pins whose events have types of their own, with these types: those of DONKI and RHESSI. */
export const TYPED_PINS: Readonly<Record<string, readonly string[]>> = { C3: ['CE', 'FL'], F2: ['FL'] };

export const EVENT_PINS: readonly string[] = PIN_TYPES.map(({ pin }) => pin);

export const typesOf = (source: EventSource): EventType[] => EVENT_TYPES.filter((type) => type.source === source);

/** The first type with this pin in the order of the sources, which is the one that notations by pins mean. */
export const findEventType = (pin: string): EventType | undefined => byPin.get(pin);

const HEK_ARCHIVE = /^ivo:\/\/helio-informatics\.org\//;

/** The id of a flare of RHESSI as it was before it had letters, and is in stored selections; of another event its id. */
export const legacyId = (id: string): string => id.replace(/^RHESSI-(?=\d+$)/, '');

/** The id of an event without the address of the HEK; the web client and the explorer find the pin of an event by it. */
export const archiveId = (id: string): string => id.replace(HEK_ARCHIVE, '');

/** Separates the names of a path: `HEK>>Flare>>SWPC`. Groups of WSA are paths of their own, as `SO>>AGONG`. */
export const PATH_SEPARATOR = '>>';

/** The key of a name in recipes. Clients replace blanks and equals signs by `_` and escape other characters with a backslash. */
export const nameKey = (name: string): string => name.replaceAll('\\', '').replace(/[\s=]/g, '_');

/** The key of a name in comparisons: plus signs are blanks that were not encoded, and letter case does not count. */
export const matchKey = (name: string): string => nameKey(name.trim()).replace(/[+_]+/g, '_').toLowerCase();

/** The key of the name of a type: `UVBurst` is also written as `UV Burst`. */
export const conceptKey = (name: string): string => matchKey(name).replaceAll('_', '');

const byName = new Map(EVENT_TYPES.map((type) => [`${type.source} ${conceptKey(type.concept)}`, type]));

export const typeNamed = (source: EventSource, name: string): EventType | undefined =>
  byName.get(`${source} ${conceptKey(name)}`);

const FRM = /^[\\()\w+.\- ]+$/;
const FRM_CHARACTERS = 60;

/** The key of the name of a recognition method (FRM), or null for an invalid name. */
export function parseFrm(text: string): string | null {
  // Every character may be escaped.
  if (text.length > 2 * FRM_CHARACTERS) return null;
  const key = nameKey(text);
  return FRM.test(text) && key.length > 0 && key.length <= FRM_CHARACTERS ? key : null;
}
