// Labels beside the pins of events, none over another. Where one would be, it goes to the other side, and down or up by whole lines.
import type { EventMark } from './event-mark.ts';
import { markerBox } from './event-markers.ts';
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

interface Label {
  readonly pin: Box;
  readonly tip: { readonly x: number; readonly y: number };
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

function labelOf(mark: EventMark): Label {
  const lines = cleanLines(mark.label);
  const width = Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, SIZE_PX)))) + 2 * PAD_PX;
  const height = ASCENT_PX + DESCENT_PX + (lines.length - 1) * LINE_PX + 2 * PAD_PX;
  return { pin: markerBox(mark), tip: { x: Math.round(mark.x), y: Math.round(mark.y) }, lines, width, height };
}

/** What of a pin no label may cover; the labels beside it end there. */
function bodyOf(mark: EventMark): Box {
  const { x, y, width, height } = markerBox(mark);
  return { x: x + PIN_MARGIN_PX, y, width: width - 2 * PIN_MARGIN_PX, height };
}

/** The boxes of a label right of its pin and left of it, as far as the frame has room; right of it where it has none. */
function boxesOf(label: Label, frame: FrameSize): Box[] {
  const y = label.tip.y + FIRST_BASELINE.y - ASCENT_PX - PAD_PX;
  const size = { width: label.width, height: label.height };
  const right = { x: label.tip.x + FIRST_BASELINE.x - PAD_PX, y, ...size };
  const left = { x: label.tip.x - FIRST_BASELINE.x + PAD_PX - label.width, y, ...size };
  const fitting = [right, left].filter(({ x, width }) => x >= 0 && x + width <= frame.width);
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

/** The first place that is in the frame and clear of the obstacles, or null. */
function placeFor(label: Label, frame: FrameSize, lines: number, obstacles: readonly Box[]): Box | null {
  const sides = boxesOf(label, frame).map((side) => {
    return { side, inTheWay: obstacles.filter(({ x, width }) => x < side.x + side.width && side.x < x + width) };
  });
  for (const shift of shifts(lines)) {
    for (const { side, inTheWay } of sides) {
      const box = { ...side, y: side.y + shift };
      const isInside = box.y >= 0 && box.y + box.height <= frame.height;
      if ((shift === 0 || isInside) && !inTheWay.some((obstacle) => overlap(box, obstacle))) return box;
    }
  }
  return null;
}

/** Whether the middle of a label is no longer beside its pin. */
function isAway({ pin }: Label, box: Box): boolean {
  const middle = box.y + box.height / 2;
  return middle < pin.y || middle > pin.y + pin.height;
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

/** Places the labels of events whose pins are seen, in the given order. The same events give the same places. */
export function placeLabels(marks: readonly EventMark[], frame: FrameSize): PlacedLabels {
  const whole = { x: 0, y: 0, ...frame };
  const seen = marks.filter((mark) => overlap(markerBox(mark), whole));
  const pins = seen.map(bodyOf);
  const placed: Box[] = [];
  const leaders: Overlay[] = [];
  const labels: Overlay[] = [];
  for (const label of seen.map(labelOf).filter(({ lines }) => lines.length > 0)) {
    const box = placeFor(label, frame, NEAR_LINES, [...placed, ...pins]) ?? placeFor(label, frame, FAR_LINES, placed);
    if (!box) continue;
    placed.push(box);
    labels.push(textOf(label, box));
    if (isAway(label, box)) leaders.push(leaderOf(label, box));
  }
  return { leaders, labels };
}
