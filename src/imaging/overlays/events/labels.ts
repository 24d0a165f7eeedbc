// Labels beside the pins of events, none over another or over a pin. Where one would be, it goes to the other side, down or up by
// whole lines, and further away.
// That is decided where the pins are at an anchor, which neighbouring frames share; whether the frame has room, where they are.

import { textWidth } from '../font.ts';
import { type Box, decimal, type FrameSize, type Overlay, overlap } from '../svg.ts';
import { cleanLines, textElement } from '../text.ts';
import type { EventMarker } from './event-marker.ts';
import { PIN_BOX, pinBox } from './pins.ts';

const SIZE_PX = 10;
const LINE_PX = 12;
const STYLE = { sizePx: SIZE_PX, outlinePx: 2.6, outlineOpacity: 0.8 };

/** Baseline of the first line from the tip of the pin. */
const FIRST_BASELINE = { x: 11, y: -24 } as const;
/** Room around the letters for their outline, in which boxes may touch. */
const PAD_PX = 2;
const ASCENT_PX = 10;
const DESCENT_PX = 3;
/** Columns on both sides of a pin that only its outline reaches, and that boxes of labels may share. */
const PIN_MARGIN_PX = 3;

/** What of a pin catches the eye, from its upper end, and columns on both sides in which a label seems to belong to it. */
const HEAD_PX = 28;
const BESIDE_PX = 10;

/** How far a label moves not to stand beside another pin, and how far not to cover one; then it is left out. */
const NEAR_PX = 96;
const FAR_PX = 192;
const COLUMN_PX = 24;
const COLUMNS = 5;

/**
 * How far down and how far away from its pin a label may move, the least first: down 12, up 12, down 24, ... It stays close to its
 * pin rather than at its height, and goes away only down or up, where the line to it does not lie below the labels beside the pin.
 */
const MOVES = Array.from({ length: COLUMNS }, (_, column) => column * COLUMN_PX)
  .flatMap((away) => Array.from({ length: 2 * (FAR_PX / LINE_PX) + 1 }, (_, i) => ({ away, down: i * LINE_PX - FAR_PX })))
  .filter(({ away, down }) => away === 0 || Math.abs(down) >= 2 * LINE_PX)
  .map((move) => ({ ...move, farPx: 2 * move.away + Math.abs(move.down) }))
  .filter(({ farPx }) => farPx <= FAR_PX)
  .sort((a, b) => a.farPx - b.farPx || a.away - b.away || b.down - a.down);

/** Part of a pixel by which boxes may run into each other from rounding alone: at anchors they lie between pixels. */
const EXACT_PX = 1e-6;

interface Place {
  readonly x: number;
  readonly y: number;
}

interface Label {
  /** Tips of the pin at the anchor and in the frame. */
  readonly anchor: Place;
  readonly tip: Place;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** The pin's position in whole pixels, as it is drawn. */
const tipOf = ({ x, y }: EventMarker): Place => ({ x: Math.round(x), y: Math.round(y) });

function anchorOf(marker: EventMarker): Place {
  return marker.anchor ? { x: marker.anchor[0], y: marker.anchor[1] } : tipOf(marker);
}

const movedBy = (box: Box, { x, y }: Place): Box => ({ ...box, x: box.x + x, y: box.y + y });

function labelOf(marker: EventMarker): Label {
  const lines = cleanLines(marker.label);
  const width = Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, SIZE_PX)))) + 2 * PAD_PX;
  const height = ASCENT_PX + DESCENT_PX + (lines.length - 1) * LINE_PX + 2 * PAD_PX;
  return { anchor: anchorOf(marker), tip: tipOf(marker), lines, width, height };
}

const BODY: Box = { ...PIN_BOX, x: PIN_BOX.x + PIN_MARGIN_PX, width: PIN_BOX.width - 2 * PIN_MARGIN_PX };
const BESIDE: Box = { x: BODY.x - BESIDE_PX, y: BODY.y, width: BODY.width + 2 * BESIDE_PX, height: HEAD_PX };

interface Pin {
  /** What no label may cover, at the anchor; the labels beside it end there. */
  readonly body: Box;
  /** Where the labels of other pins had better not be. */
  readonly beside: Box;
}

function pinOf(marker: EventMarker): Pin {
  const anchor = anchorOf(marker);
  return { body: movedBy(BODY, anchor), beside: movedBy(BESIDE, anchor) };
}

/** Boxes from the tip of the pin: right of it and left of it, as far as the frame has room; right of it where it has none. */
function sidesOf({ tip, width, height }: Label, frame: FrameSize): Box[] {
  const y = FIRST_BASELINE.y - ASCENT_PX - PAD_PX;
  const right = { x: FIRST_BASELINE.x - PAD_PX, y, width, height };
  const left = { x: -FIRST_BASELINE.x + PAD_PX - width, y, width, height };
  const fitting = [right, left].filter(({ x }) => tip.x + x >= 0 && tip.x + x + width <= frame.width);
  return fitting.length > 0 ? fitting : [right];
}

const isBeside = (a: Box, b: Box): boolean => a.x + a.width <= b.x + EXACT_PX || b.x + b.width <= a.x + EXACT_PX;
const isAboveOrBelow = (a: Box, b: Box): boolean => a.y + a.height <= b.y + EXACT_PX || b.y + b.height <= a.y + EXACT_PX;
const isClear = (a: Box, b: Box): boolean => isBeside(a, b) || isAboveOrBelow(a, b);

/** What stands on a frame before its labels are placed. */
interface Ground {
  readonly frame: FrameSize;
  /** Boxes of the frame that are taken by what is no event. */
  readonly taken: readonly Box[];
}

/** A box at the anchor that holds all places of a label, and what may be in their way. */
function reachOf({ anchor, width, height }: Label): Box {
  const [x, y] = [FAR_PX + FIRST_BASELINE.x + width, FAR_PX - FIRST_BASELINE.y + height];
  return movedBy({ x: -x, y: -y, width: 2 * x, height: 2 * y }, anchor);
}

/** A box beside the pin, moved further away from it and down. */
function movedAway(side: Box, { away, down }: { away: number; down: number }): Box {
  return { ...side, x: side.x + (side.x > 0 ? away : -away), y: side.y + down };
}

/** The first box from the tip that has room in the frame and, at the anchor, is clear of the obstacles; or null. */
function placeFor(label: Label, { frame, taken }: Ground, farthestPx: number, obstacles: readonly Box[]): Box | null {
  const sides = sidesOf(label, frame);
  for (const move of MOVES) {
    if (move.farPx > farthestPx) return null;
    for (const side of sides) {
      const place = movedAway(side, move);
      const box = movedBy(place, label.tip);
      if (box.y < 0 || box.y + box.height > frame.height || taken.some((other) => overlap(box, other))) continue;
      // The frame has no room for some labels on either side; further away they have less.
      if (move.away > 0 && (box.x < 0 || box.x + box.width > frame.width)) continue;
      const atAnchor = movedBy(place, label.anchor);
      if (obstacles.every((obstacle) => isClear(atAnchor, obstacle))) return place;
    }
  }
  return null;
}

/** Whether a label, its box from the tip, is no longer beside its pin. */
function isAway({ x, y, width, height }: Box): boolean {
  const middle = y + height / 2;
  const gap = Math.max(x - (BODY.x + BODY.width), BODY.x - (x + width));
  return gap >= COLUMN_PX || middle < BODY.y || middle > BODY.y + BODY.height;
}

/** Lines end at the pin where they stand left of it. */
function textOf(label: Label, box: Box): Overlay {
  const isLeft = box.x < label.tip.x;
  const lines = label.lines.map((line, i) => {
    const indent = isLeft ? label.width - 2 * PAD_PX - textWidth(line, SIZE_PX) : 0;
    return textElement(line, PAD_PX + indent, PAD_PX + ASCENT_PX + i * LINE_PX, STYLE);
  });
  return { ...box, svg: lines.join('') };
}

/** A thin line from the head of the pin to the nearer side of a label. */
function leaderOf(label: Label, box: Box): Overlay {
  const head = { x: label.tip.x, y: label.tip.y - 26 };
  const end = { x: box.x > label.tip.x ? box.x : box.x + box.width, y: box.y + box.height / 2 };
  const x = Math.floor(Math.min(head.x, end.x)) - 2;
  const y = Math.floor(Math.min(head.y, end.y)) - 2;
  const width = Math.ceil(Math.max(head.x, end.x)) + 2 - x;
  const height = Math.ceil(Math.max(head.y, end.y)) + 2 - y;
  const path = `<path d="M${decimal(head.x - x)} ${decimal(head.y - y)}L${decimal(end.x - x)} ${decimal(end.y - y)}" fill="none" stroke-linecap="round"`;
  const svg = `${path} stroke="#000" stroke-opacity="0.4" stroke-width="2.4"/>${path} stroke="#fff" stroke-opacity="0.8"/>`;
  return { x, y, width, height, svg };
}

export interface PlacedLabels {
  /** Lines from pins to labels that had to move; to be drawn below the pins. */
  readonly leaders: readonly Overlay[];
  readonly labels: readonly Overlay[];
}

/**
 * Places the labels of events whose pins are seen, in the given order. The same events and anchors give the same places.
 * @param taken Boxes of the frame that labels keep clear of
 */
export function placeLabels(markers: readonly EventMarker[], frame: FrameSize, taken: readonly Box[] = []): PlacedLabels {
  const whole = { x: 0, y: 0, ...frame };
  const ground = { frame, taken };
  const seen = markers.filter((marker) => overlap(pinBox(marker), whole));
  const pins = seen.map(pinOf);
  const placed: Box[] = [];
  const leaders: Overlay[] = [];
  const labels: Overlay[] = [];
  for (const [i, marker] of seen.entries()) {
    const label = labelOf(marker);
    if (label.lines.length === 0) continue;
    const reach = reachOf(label);
    const near = pins.filter(({ body }) => overlap(body, reach));
    const obstacles = [...placed.filter((box) => overlap(box, reach)), ...near.map(({ body }) => body)];
    // Pins that lie over each other have their labels beside them all.
    const apart = near.filter(({ body }) => isClear(body, (pins[i] as Pin).body));
    const place =
      placeFor(label, ground, NEAR_PX, [...obstacles, ...apart.map(({ beside }) => beside)]) ??
      placeFor(label, ground, FAR_PX, obstacles);
    if (!place) continue;
    placed.push(movedBy(place, label.anchor));
    const box = movedBy(place, label.tip);
    labels.push(textOf(label, box));
    if (isAway(place)) leaders.push(leaderOf(label, box));
  }
  return { leaders, labels };
}
