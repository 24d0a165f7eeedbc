// The markers of events: pins, outlines filled with the translucent colour of their type, and labels beside the pins that cover neither
// another label nor a pin. A label that would do so moves to the other side, down or up by whole lines, and further away. Collisions are
// tested at the anchors of the events, which neighbouring frames share; room in the frame is tested at the pins.
import type { Point } from '../../../sun/coordinates/rings.ts';
import type { Size } from '../../../sun/image.ts';
import { type Box, boxAround, colour, decimal, type Overlay, overlap } from '../overlay.ts';
import { cleanLine, cleanLines, textElement, textWidth } from './text.ts';

export interface EventMarker {
  /** Two or three letters for its type, such as `AR`. */
  readonly pin: string;
  /** Six hexadecimal digits, with or without `#`. */
  readonly colour: string;
  /** Position in pixels of the frame, y down; may be outside the frame. */
  readonly x: number;
  readonly y: number;
  /** Position at an instant that neighbouring frames share, by which labels are placed and move steadily. Default: x, y. */
  readonly anchor?: Point;
  /** Lines of the label as received, escapes included; empty for no label. */
  readonly label: readonly string[];
  /** Outlines in pixels of the frame. Those with fewer than three points are not drawn. */
  readonly polygons: readonly (readonly Point[])[];
  /** Parts of outlines behind the limb. */
  readonly ghosts?: readonly (readonly Point[])[];
  readonly isBehind?: boolean;
}

const PIN_BOX = { x: -12, y: -38, width: 23, height: 39 } as const;
const HEAD = { x: 12, y: 12 } as const;

/** Letters that fit into the head. */
const MAX_LETTERS = 3;

const PIN_BODY = 'M12 38C11 30.5 2.4 21.5 2.4 12A9.6 9.6 0 0 1 21.6 12C21.6 21.5 13 30.5 12 38Z';
const SHINE = 'M5 9.6A7.5 7.5 0 0 1 19 9.6';

const BEHIND_OPACITY = 0.5;

/** Positions beyond this are never visible. */
const MAX_POSITION_PX = 1_000_000;

export const isPlaced = ({ x, y }: Pick<EventMarker, 'x' | 'y'>) =>
  Math.abs(x) <= MAX_POSITION_PX && Math.abs(y) <= MAX_POSITION_PX;

/** The box of a pin in the frame, on whole pixels, so that pins of a type share a cached raster. */
export const pinBox = ({ x, y }: Pick<EventMarker, 'x' | 'y'>): Box => ({
  ...PIN_BOX,
  x: Math.round(x) + PIN_BOX.x,
  y: Math.round(y) + PIN_BOX.y,
});

function letters(pin: string): string {
  const text = Array.from(cleanLine(pin)).slice(0, MAX_LETTERS).join('');
  const sizePx = text.length < 3 ? 9.5 : 7;
  const x = HEAD.x - textWidth(text, sizePx) / 2;
  const style = { sizePx, fill: '#101010', outlinePx: 0, outlineOpacity: 0 };
  return textElement(text, x, HEAD.y + 0.365 * sizePx, style);
}

export function eventPin(marker: EventMarker): Overlay {
  const body = `<path d="${PIN_BODY}" fill="${colour(marker.colour)}" stroke="#000" stroke-opacity="0.75" stroke-width="1.2"/>`;
  const shine = `<path d="${SHINE}" fill="none" stroke="#fff" stroke-opacity="0.55" stroke-width="1.3" stroke-linecap="round"/>`;
  const svg = body + shine + letters(marker.pin);
  return { ...pinBox(marker), svg: marker.isBehind ? `<g opacity="${BEHIND_OPACITY}">${svg}</g>` : svg };
}

/** Opacity of the fill, and of the black line over it. */
export const OUTLINE_OPACITY = { fill: 0.4, line: 0.53 } as const;
/** Parts behind the limb, whose line is dashed in the colour of the type. */
const GHOST = { fill: 0.18, line: 0.55, dash: '5 4' } as const;

const LINE_WIDTH_PX = 1.5;
const LINE_REACH_PX = 2;

/** Points used of an outline; real outlines have at most a few hundred. */
const MAX_POINTS = 2000;
/** Coordinates are clamped to this: far outside any frame, yet exact in single precision. */
const MAX_COORDINATE_PX = 100_000;

const clamp = (value: number) => Math.min(Math.max(value, -MAX_COORDINATE_PX), MAX_COORDINATE_PX);

function usable(polygon: readonly Point[]): Point[] {
  const points = polygon.slice(0, MAX_POINTS).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  return points.map(([x, y]) => [clamp(x), clamp(y)]);
}

/** A path element of closed outlines in the translucent colour of a type. */
export function outlineElement(
  outlines: readonly (readonly Point[])[],
  typeColour: string,
  linePx: number,
  isGhost = false,
): string {
  const data = outlines.map((points) => `M${points.map(([x, y]) => `${decimal(x)} ${decimal(y)}`).join('L')}Z`).join('');
  const opacity = isGhost ? GHOST : OUTLINE_OPACITY;
  const fill = `fill="${colour(typeColour)}" fill-opacity="${opacity.fill}" fill-rule="evenodd"`;
  const stroke = isGhost ? `stroke="${colour(typeColour)}" stroke-dasharray="${GHOST.dash}"` : 'stroke="#000"';
  const line = `${stroke} stroke-opacity="${opacity.line}" stroke-width="${linePx}" stroke-linejoin="round"`;
  return `<path d="${data}" ${fill} ${line}/>`;
}

/** Outlines of at least three points with their boxes, those inside the box of another one together with it, because they may be its holes. */
function regionsOf(polygons: readonly (readonly Point[])[]) {
  const outlines = polygons.map(usable).filter((points) => points.length >= 3);
  const sized = outlines.map((points) => ({ box: boxAround(points, LINE_REACH_PX), outlines: [points] }));
  const regions: typeof sized = [];
  for (const region of sized.toSorted((a, b) => b.box.width * b.box.height - a.box.width * a.box.height)) {
    const around = regions.find(({ box }) => contains(box, region.box));
    if (around) around.outlines.push(...region.outlines);
    else regions.push(region);
  }
  return regions;
}

const contains = (a: Box, b: Box): boolean =>
  a.x <= b.x && a.y <= b.y && a.x + a.width >= b.x + b.width && a.y + a.height >= b.y + b.height;

/** One overlay per outline with its holes; parts behind the limb first. */
export const eventRegions = (markers: readonly EventMarker[]): Overlay[] =>
  [true, false].flatMap((isGhost) =>
    markers.flatMap(({ polygons, ghosts = [], colour: typeColour }) =>
      regionsOf(isGhost ? ghosts : polygons).map(({ box, outlines }) => {
        const inBox = outlines.map((points) => points.map(([x, y]): Point => [x - box.x, y - box.y]));
        return { ...box, svg: outlineElement(inBox, typeColour, LINE_WIDTH_PX, isGhost) };
      }),
    ),
  );

const SIZE_PX = 10;
const LINE_PX = 12;
const STYLE = { sizePx: SIZE_PX, outlinePx: 2.6, outlineOpacity: 0.8 };

/** Baseline of the first line from the tip of the pin. */
const FIRST_BASELINE = { x: 11, y: -24 } as const;
/** Padding around the letters for their outline. */
const PAD_PX = 2;
const ASCENT_PX = 10;
const DESCENT_PX = 3;
/** Margin on both sides of a pin that only its outline reaches; labels may overlap it. */
const PIN_MARGIN_PX = 3;

/** Height of a pin's head from its upper end, and width on both sides in which a label appears to belong to the pin. */
const HEAD_PX = 28;
const BESIDE_PX = 10;

/** Maximum move of a label to avoid the space beside another pin, and to avoid covering one; beyond it the label is omitted. */
const NEAR_PX = 96;
const FAR_PX = 192;
const COLUMN_PX = 24;
const COLUMNS = 5;

/** Moves of a label from its pin, smallest first: down 12, up 12, down 24, ...; away only if also down or up, clear of other leaders. */
const MOVES = Array.from({ length: COLUMNS }, (_, column) => column * COLUMN_PX)
  .flatMap((away) => Array.from({ length: 2 * (FAR_PX / LINE_PX) + 1 }, (_, i) => ({ away, down: i * LINE_PX - FAR_PX })))
  .filter(({ away, down }) => away === 0 || Math.abs(down) >= 2 * LINE_PX)
  .map((move) => ({ ...move, farPx: 2 * move.away + Math.abs(move.down) }))
  .filter(({ farPx }) => farPx <= FAR_PX)
  .sort((a, b) => a.farPx - b.farPx || a.away - b.away || b.down - a.down);

/** Overlap in pixels that is attributed to rounding, because boxes at anchors are not on whole pixels. */
const TOLERANCE_PX = 1e-6;

type PixelPlace = { readonly x: number; readonly y: number };

interface Label {
  /** Tip of the pin at the anchor, and in the frame. */
  readonly anchor: PixelPlace;
  readonly tip: PixelPlace;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Position of the drawn pin, in whole pixels. */
const tipOf = ({ x, y }: EventMarker): PixelPlace => ({ x: Math.round(x), y: Math.round(y) });

const anchorOf = (marker: EventMarker): PixelPlace =>
  marker.anchor ? { x: marker.anchor[0], y: marker.anchor[1] } : tipOf(marker);

const movedBy = (box: Box, { x, y }: PixelPlace): Box => ({ ...box, x: box.x + x, y: box.y + y });

function labelOf(marker: EventMarker): Label {
  const lines = cleanLines(marker.label);
  const width = Math.ceil(Math.max(0, ...lines.map((line) => textWidth(line, SIZE_PX)))) + 2 * PAD_PX;
  const height = ASCENT_PX + DESCENT_PX + (lines.length - 1) * LINE_PX + 2 * PAD_PX;
  return { anchor: anchorOf(marker), tip: tipOf(marker), lines, width, height };
}

const BODY: Box = { ...PIN_BOX, x: PIN_BOX.x + PIN_MARGIN_PX, width: PIN_BOX.width - 2 * PIN_MARGIN_PX };
const BESIDE: Box = { x: BODY.x - BESIDE_PX, y: BODY.y, width: BODY.width + 2 * BESIDE_PX, height: HEAD_PX };

/** A pin at its anchor, never covered by labels, and the space beside it, covered by other labels only without room elsewhere. */
const pinOf = (marker: EventMarker) => ({ body: movedBy(BODY, anchorOf(marker)), beside: movedBy(BESIDE, anchorOf(marker)) });

/** Boxes relative to the tip: right and left of the pin where the frame has room, else right. */
function sidesOf({ tip, width, height }: Label, frame: Size): Box[] {
  const y = FIRST_BASELINE.y - ASCENT_PX - PAD_PX;
  const right = { x: FIRST_BASELINE.x - PAD_PX, y, width, height };
  const left = { x: -FIRST_BASELINE.x + PAD_PX - width, y, width, height };
  const fitting = [right, left].filter(({ x }) => tip.x + x >= 0 && tip.x + x + width <= frame.width);
  return fitting.length > 0 ? fitting : [right];
}

const isBeside = (a: Box, b: Box): boolean => a.x + a.width <= b.x + TOLERANCE_PX || b.x + b.width <= a.x + TOLERANCE_PX;
const isAboveOrBelow = (a: Box, b: Box): boolean => a.y + a.height <= b.y + TOLERANCE_PX || b.y + b.height <= a.y + TOLERANCE_PX;
const isClear = (a: Box, b: Box): boolean => isBeside(a, b) || isAboveOrBelow(a, b);

interface Ground {
  readonly frame: Size;
  /** Boxes of overlays that are not events. */
  readonly taken: readonly Box[];
}

/** Bounds, at the anchor, of all positions of a label. Only pins and labels inside can be obstacles. */
function reachOf({ anchor, width, height }: Label): Box {
  const [x, y] = [FAR_PX + FIRST_BASELINE.x + width, FAR_PX - FIRST_BASELINE.y + height];
  return movedBy({ x: -x, y: -y, width: 2 * x, height: 2 * y }, anchor);
}

/** A box beside the pin, moved away from it and down. */
const movedAway = (side: Box, { away, down }: { away: number; down: number }): Box => ({
  ...side,
  x: side.x + (side.x > 0 ? away : -away),
  y: side.y + down,
});

/** The first box, relative to the tip, with room in the frame and, at the anchor, clear of the obstacles; null without one. */
function positionFor(label: Label, { frame, taken }: Ground, farthestPx: number, obstacles: readonly Box[]): Box | null {
  const sides = sidesOf(label, frame);
  for (const move of MOVES) {
    if (move.farPx > farthestPx) return null;
    for (const side of sides) {
      const position = movedAway(side, move);
      const box = movedBy(position, label.tip);
      if (box.y < 0 || box.y + box.height > frame.height || taken.some((other) => overlap(box, other))) continue;
      // The frame has no room for some labels on either side; further away they have less.
      if (move.away > 0 && (box.x < 0 || box.x + box.width > frame.width)) continue;
      const atAnchor = movedBy(position, label.anchor);
      if (obstacles.every((obstacle) => isClear(atAnchor, obstacle))) return position;
    }
  }
  return null;
}

/** True for a label (box relative to the tip) that is no longer beside its pin. */
function isAway({ x, y, width, height }: Box): boolean {
  const middle = y + height / 2;
  const gap = Math.max(x - (BODY.x + BODY.width), BODY.x - (x + width));
  return gap >= COLUMN_PX || middle < BODY.y || middle > BODY.y + BODY.height;
}

/** Lines are right-aligned when the label is left of its pin. */
function textOf(label: Label, box: Box): Overlay {
  const isLeft = box.x < label.tip.x;
  const lines = label.lines.map((line, i) => {
    const indent = isLeft ? label.width - 2 * PAD_PX - textWidth(line, SIZE_PX) : 0;
    return textElement(line, PAD_PX + indent, PAD_PX + ASCENT_PX + i * LINE_PX, STYLE);
  });
  return { ...box, svg: lines.join('') };
}

/** Leader: a thin line from the head of the pin to the nearer side of its label. */
function leaderOf(label: Label, box: Box): Overlay {
  const ends: Point[] = [
    [label.tip.x, label.tip.y - 26],
    [box.x > label.tip.x ? box.x : box.x + box.width, box.y + box.height / 2],
  ];
  const around = boxAround(ends, LINE_REACH_PX);
  const data = ends.map(([x, y]) => `${decimal(x - around.x)} ${decimal(y - around.y)}`).join('L');
  const path = `<path d="M${data}" fill="none" stroke-linecap="round"`;
  const svg = `${path} stroke="#000" stroke-opacity="0.4" stroke-width="2.4"/>${path} stroke="#fff" stroke-opacity="0.8"/>`;
  return { ...around, svg };
}

/** Places labels of visible events in the given order, off the boxes `taken`. Equal events and anchors give equal positions. */
export function placeLabels(markers: readonly EventMarker[], frame: Size, taken: readonly Box[] = []) {
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
    // Overlapping pins share the space beside them for their labels.
    const apart = near.filter(({ body }) => isClear(body, pins[i]!.body));
    const position =
      positionFor(label, ground, NEAR_PX, [...obstacles, ...apart.map(({ beside }) => beside)]) ??
      positionFor(label, ground, FAR_PX, obstacles);
    if (!position) continue;
    placed.push(movedBy(position, label.anchor));
    const box = movedBy(position, label.tip);
    labels.push(textOf(label, box));
    if (isAway(position)) leaders.push(leaderOf(label, box));
  }
  return { leaders, labels };
}
