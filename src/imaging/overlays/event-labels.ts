// Labels beside the pins of events, none over another. Where one would be, it goes to the other side, and down or up by whole lines.
// That is decided where the pins are at an anchor, which neighbouring frames share; whether the frame has room, where they are.
import type { EventMark } from './event-mark.ts';
import { MARKER_BOX, markerBox } from './event-markers.ts';
import { textWidth } from './font.ts';
import { type Box, decimal, type FrameSize, type Overlay, overlap } from './svg.ts';
import { cleanLines, textElement } from './text.ts';

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

/** Lines that a label moves to keep clear of pins and labels, and those to keep clear of labels only; then it is left out. */
const NEAR_LINES = 5;
const FAR_LINES = 40;

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
const tipOf = ({ x, y }: EventMark): Place => ({ x: Math.round(x), y: Math.round(y) });

function anchorOf(mark: EventMark): Place {
  return mark.anchor ? { x: mark.anchor[0], y: mark.anchor[1] } : tipOf(mark);
}

const movedBy = (box: Box, { x, y }: Place): Box => ({ ...box, x: box.x + x, y: box.y + y });

function labelOf(mark: EventMark): Label {
  const lines = cleanLines(mark.label);
  const width = Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, SIZE_PX)))) + 2 * PAD_PX;
  const height = ASCENT_PX + DESCENT_PX + (lines.length - 1) * LINE_PX + 2 * PAD_PX;
  return { anchor: anchorOf(mark), tip: tipOf(mark), lines, width, height };
}

/** What of a pin no label may cover, at its anchor; the labels beside it end there. */
function bodyOf(mark: EventMark): Box {
  const body = { ...MARKER_BOX, x: MARKER_BOX.x + PIN_MARGIN_PX, width: MARKER_BOX.width - 2 * PIN_MARGIN_PX };
  return movedBy(body, anchorOf(mark));
}

/** Boxes from the tip of the pin: right of it and left of it, as far as the frame has room; right of it where it has none. */
function sidesOf({ tip, width, height }: Label, frame: FrameSize): Box[] {
  const y = FIRST_BASELINE.y - ASCENT_PX - PAD_PX;
  const right = { x: FIRST_BASELINE.x - PAD_PX, y, width, height };
  const left = { x: -FIRST_BASELINE.x + PAD_PX - width, y, width, height };
  const fitting = [right, left].filter(({ x }) => tip.x + x >= 0 && tip.x + x + width <= frame.width);
  return fitting.length > 0 ? fitting : [right];
}

/** 0, 12, -12, 24, -24, ... */
function* shifts(lines: number): Generator<number> {
  yield 0;
  for (let i = 1; i <= lines; i++) {
    yield i * LINE_PX;
    yield -i * LINE_PX;
  }
}

const isClear = (box: Box, obstacle: Box): boolean =>
  box.x + box.width <= obstacle.x + EXACT_PX ||
  obstacle.x + obstacle.width <= box.x + EXACT_PX ||
  box.y + box.height <= obstacle.y + EXACT_PX ||
  obstacle.y + obstacle.height <= box.y + EXACT_PX;

/** The first box from the tip that is in the frame and, at the anchor, clear of the obstacles; or null. */
function placeFor(label: Label, frame: FrameSize, lines: number, obstacles: readonly Box[]): Box | null {
  const { anchor, tip } = label;
  for (const shift of shifts(lines)) {
    for (const side of sidesOf(label, frame)) {
      const box = { ...side, y: side.y + shift };
      const isInside = tip.y + box.y >= 0 && tip.y + box.y + box.height <= frame.height;
      const atAnchor = movedBy(box, anchor);
      if ((shift === 0 || isInside) && obstacles.every((obstacle) => isClear(atAnchor, obstacle))) return box;
    }
  }
  return null;
}

/** Whether the middle of a label, its box from the tip, is no longer beside its pin. */
function isAway({ y, height }: Box): boolean {
  const middle = y + height / 2;
  return middle < MARKER_BOX.y || middle > MARKER_BOX.y + MARKER_BOX.height;
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

/** Places the labels of events whose pins are seen, in the given order. The same events and anchors give the same places. */
export function placeLabels(marks: readonly EventMark[], frame: FrameSize): PlacedLabels {
  const whole = { x: 0, y: 0, ...frame };
  const seen = marks.filter((mark) => overlap(markerBox(mark), whole));
  const pins = seen.map(bodyOf);
  const placed: Box[] = [];
  const leaders: Overlay[] = [];
  const labels: Overlay[] = [];
  for (const label of seen.map(labelOf).filter(({ lines }) => lines.length > 0)) {
    const place = placeFor(label, frame, NEAR_LINES, [...placed, ...pins]) ?? placeFor(label, frame, FAR_LINES, placed);
    if (!place) continue;
    placed.push(movedBy(place, label.anchor));
    const box = movedBy(place, label.tip);
    labels.push(textOf(label, box));
    if (isAway(place)) leaders.push(leaderOf(label, box));
  }
  return { leaders, labels };
}
