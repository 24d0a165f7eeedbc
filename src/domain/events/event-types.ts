// Event types by pin, the two characters that identify a type in requests.

/** In the order of a selection. */
export const EVENT_SOURCES = ['HEK', 'CCMC', 'RHESSI'] as const;

export type EventSource = (typeof EVENT_SOURCES)[number];

export interface EventType {
  readonly pin: string;
  readonly source: EventSource;
  /** Name of the category in the tree of events. */
  readonly concept: string;
  /** Fill of its regions and pins, `rrggbb`. */
  readonly colour: string;
}

/** Colour of events without a type. */
export const UNKNOWN_TYPE_COLOUR = 'd4d4d4';

const HEK = `
AR Active Region|ff8f97
CC Coronal Cavity|ff8acc
CD Coronal Dimming|ffd391
CH Coronal Hole|fef38e
CJ Coronal Jet|9da4ff
CE CME|ffb294
CR Coronal Rain|ff85ff
CW Coronal Wave|e8ff8c
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
OT Other|ca89ff
NR Nothing Reported|ffd391
TO Topological Object|ff8f97
HY Hypothesis|ca89ff
BU UVBurst|e8ff8c
EE Explosive Event|95c6ff
PB Prominence Bubble|ff85ff
PT Peacock Tail|c8ff8d
EP SEPs|81fffc
IC ICMEs|8ce6ff
SR SIRs|9da4ff`;

const CCMC = `
C3 DONKI|ffd391
FP Solar Flare Predictions|ab8cff`;

const RHESSI = `
F2 Solar Flares|7affae`;

function typesOf(source: EventSource, table: string): EventType[] {
  return [...table.matchAll(/^(\w\w) (.+)\|(\w{6})$/gm)].map(([, pin, concept, colour]) => {
    return { pin: pin!, source, concept: concept!, colour: colour! };
  });
}

/** Letters on the pin of a type, those of the pins of the original service: the pin itself, but CME on ejections. */
export const pinLetters = ({ pin }: EventType): string => (pin === 'CE' ? 'CME' : pin);

/** All event types, the twenty of the interface first. */
export const EVENT_TYPES: readonly EventType[] = [...typesOf('HEK', HEK), ...typesOf('CCMC', CCMC), ...typesOf('RHESSI', RHESSI)];

const byPin = new Map(EVENT_TYPES.map((type) => [type.pin, type]));

/** The type with this pin; every pin belongs to one source. */
export function findEventType(pin: string): EventType | undefined {
  return byPin.get(pin);
}
