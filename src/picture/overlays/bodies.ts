// Planets and probes as the web client shows them: names at their positions, and ways past the Sun with a dot for each step.
import { badParameter } from '../../platform/util/errors.ts';
import { BODIES_NEAR_SUN, bodyName, PROBES } from '../../sun/bodies/bodies.ts';
import { inView } from '../../sun/bodies/conjunctions.ts';
import { OBSERVERS, type SolarSystem } from '../../sun/bodies/solar-system.ts';
import type { BodyView } from '../../sun/bodies/view.ts';
import { type PlanePoint, planePointOf } from '../../sun/coordinates/picture-plane.ts';
import type { Point } from '../../sun/coordinates/rings.ts';
import { badMember, type Members } from '../notation.ts';
import type { BodyLabel, Box, Overlay, OverlayFrame, OverlayRecord, SeenBodies, TrajectoryPart } from './overlay.ts';
import { boxAround, decimal, overlap } from './overlay.ts';

const WORDS = OBSERVERS.flatMap((observer) => BODIES_NEAR_SUN.map((body) => `${observer}-${body}`));
const WHAT = `pairs like soho-venus, separated by commas, of ${OBSERVERS.join(', ')} with a planet, ${PROBES.join(', ')}`;
const LISTS = ['celestialBodiesLabels', 'celestialBodiesTrajectories'] as const;

type Selection = { readonly [K in (typeof LISTS)[number]]: readonly string[] };

/** The words of a list separated by commas, in the order of canonical strings and without repetitions. */
function wordsOf(name: keyof Selection, text = ''): string[] {
  if (text.trim() === '') return [];
  const listed = new Set(text.split(',').map((word) => word.trim().toLowerCase()));
  const known = WORDS.filter((word) => listed.has(word));
  if (known.length === listed.size) return known;
  throw badParameter(name, WHAT, text);
}

function read(parameters: { readonly [K in keyof Selection]?: string | undefined }): Selection | null {
  const celestialBodiesLabels = wordsOf('celestialBodiesLabels', parameters.celestialBodiesLabels);
  const celestialBodiesTrajectories = wordsOf('celestialBodiesTrajectories', parameters.celestialBodiesTrajectories);
  const isEmpty = celestialBodiesLabels.length + celestialBodiesTrajectories.length === 0;
  return isEmpty ? null : { celestialBodiesLabels, celestialBodiesTrajectories };
}

const parameter = (description: string) =>
  ({ type: 'text', description: `${description}: ${WHAT}.`, what: WHAT, example: 'soho-mercury,soho-venus' }) as const;

const TEXT = { sizePx: 12, outlinePx: 3, outlineOpacity: 0.6 };
/** From the position of a body to the left end and the baseline of its name, as in the web client. */
const LABEL_PX = { left: -2, below: 12, above: -4, descent: 4 };
const DOT_PX = 2;
const FRONT = '#a0a0a0';
const BEHIND = '#808080';
const DASHES = '3 2';

/** Hundredths of an arcsecond. */
const rounded = ({ x, y }: PlanePoint): PlanePoint => ({ x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 });

const positionOf = (view: BodyView): PlanePoint => rounded(planePointOf(view, view.observerAu));

const labelOf = (body: string, view: BodyView): BodyLabel => ({
  ...positionOf(view),
  name: bodyName(body),
  isFaint: PROBES.some((probe) => probe === body),
});

function partsOf(views: readonly BodyView[]): TrajectoryPart[] {
  const parts: { isBehind: boolean; points: PlanePoint[] }[] = [];
  for (const view of views) {
    const last = parts.at(-1);
    const position = positionOf(view);
    last?.points.push(position);
    if (last?.isBehind !== view.isBehind) parts.push({ isBehind: view.isBehind, points: [position] });
  }
  return parts;
}

/** The selected bodies in view, in the plane of the picture: angles scaled from the observer's distance to 1 au, as images are. */
export function seenBodies(solarSystem: SolarSystem, selection: Selection, atMs: number): SeenBodies {
  const second = Math.floor(atMs / 1000) * 1000;
  const pairs = (words: readonly string[]) => words.map((word) => word.split('-') as [observer: string, body: string]);
  return {
    labels: pairs(selection.celestialBodiesLabels).flatMap(([observer, body]) => {
      const line = solarSystem.lineOfSight(observer, body);
      const view = line && inView(line, atMs);
      return view ? [labelOf(body, view)] : [];
    }),
    trajectories: pairs(selection.celestialBodiesTrajectories).flatMap(([observer, body]) =>
      partsOf(solarSystem.trajectoryAt(observer, body, second).map(([, view]) => view)),
    ),
  };
}

/** The part of a line inside a box (Liang and Barsky 1984); null outside. */
function clipped(start: Point, end: Point, box: Box): readonly [Point, Point] | null {
  const [[x0, y0], [x1, y1]] = [start, end];
  const [dx, dy] = [x1 - x0, y1 - y0];
  let [from, to] = [0, 1];
  const sides = [
    [-dx, x0 - box.x],
    [dx, box.x + box.width - x0],
    [-dy, y0 - box.y],
    [dy, box.y + box.height - y0],
  ] as const;
  for (const [towards, room] of sides) {
    if (towards === 0 && room < 0) return null;
    if (towards < 0) from = Math.max(from, room / towards);
    if (towards > 0) to = Math.min(to, room / towards);
  }
  if (from > to) return null;
  const at = (t: number): Point => [x0 + t * dx, y0 + t * dy];
  return [from === 0 ? start : at(from), to === 1 ? end : at(to)];
}

interface DrawnPart {
  readonly grey: string;
  readonly dashes: string;
  readonly lines: readonly (readonly [Point, Point])[];
  readonly dots: readonly Point[];
}

/** Visible piece of a part, so that neither markup nor dashes grow with the length of a way outside the picture. */
function drawnPart(isBehind: boolean, at: readonly Point[], seen: Box): DrawnPart {
  return {
    grey: isBehind ? BEHIND : FRONT,
    dashes: isBehind ? ` stroke-dasharray="${DASHES}"` : '',
    lines: at.slice(1).flatMap((to, i) => {
      const line = clipped(at[i]!, to, seen);
      return line ? [line] : [];
    }),
    dots: at.filter(([x, y]) => overlap(seen, { x, y, width: 0, height: 0 })),
  };
}

function ways(parts: readonly DrawnPart[]): Overlay[] {
  const points = parts.flatMap(({ lines, dots }) => [...lines.flat(), ...dots]);
  if (points.length === 0) return [];
  const box = boxAround(points, DOT_PX + 1);
  const text = (point: Point) => `${decimal(point[0] - box.x)} ${decimal(point[1] - box.y)}`;
  const svg = parts.map(({ grey, dashes, lines, dots }) => {
    const path = lines.map(([from, to], i) => `${lines[i - 1]?.[1] === from ? '' : `M${text(from)}`}L${text(to)}`).join('');
    const circles = dots
      .map(([cx, cy]) => `<circle cx="${decimal(cx - box.x)}" cy="${decimal(cy - box.y)}" r="${DOT_PX}"/>`)
      .join('');
    return `<path d="${path}" fill="none" stroke="${grey}"${dashes}/><g fill="${grey}">${circles}</g>`;
  });
  return [{ ...box, svg: svg.join('') }];
}

/** A name to the lower right of its body, or where that leaves the frame, to the left or above it. */
function label({ name, isFaint }: BodyLabel, [px, py]: Point, { width: frameWidth, height, kit }: OverlayFrame): Overlay {
  const textOf = (arrow: string) => kit.cleanLine(isFaint ? `${arrow}${name}` : name);
  const width = Math.ceil(kit.textWidth(textOf('↖'), TEXT.sizePx));
  const isLeft = px + LABEL_PX.left + width > frameWidth;
  const isAbove = py + LABEL_PX.below + LABEL_PX.descent > height;
  const left = Math.round(isLeft ? px - LABEL_PX.left - width : px + LABEL_PX.left);
  const baseline = Math.round(py + (isAbove ? LABEL_PX.above : LABEL_PX.below));
  const text = isFaint && isLeft ? kit.cleanLine(`${name}${isAbove ? '↘' : '↗'}`) : textOf(isAbove ? '↙' : '↖');
  const [x, y] = [left - TEXT.outlinePx, baseline - TEXT.sizePx - TEXT.outlinePx];
  return {
    ...{ x, y, width: width + 2 * TEXT.outlinePx, height: TEXT.sizePx + LABEL_PX.descent + 2 * TEXT.outlinePx },
    svg: kit.textElement(text, left - x, baseline - y, TEXT),
  };
}

export const BODIES = {
  name: 'bodies',
  parameters: {
    celestialBodiesLabels: parameter('Names of planets and probes at their positions'),
    celestialBodiesTrajectories: parameter('Trajectories of planets and probes near the Sun'),
  },
  isInV1: false,
  level: 'marker',
  read,
  print: (lists: Selection | null) => (lists ? LISTS.map((name) => lists[name].join(',')) : undefined),
  query: (lists: Selection | null) =>
    Object.fromEntries(LISTS.flatMap((name) => (lists?.[name].length ? [[name, lists[name].join(',')]] : []))),
  parse: (members: Members) => {
    const texts = members.get('bodies') ?? ['', ''];
    const isWhole = Array.isArray(texts) && texts.length === LISTS.length && texts.every((text) => typeof text === 'string');
    if (!isWhole) throw badMember(`${LISTS.length} texts as bodies`, texts);
    return read({ celestialBodiesLabels: texts[0], celestialBodiesTrajectories: texts[1] });
  },
  draw: (_: object, frame: OverlayFrame) => {
    const { width, height, pixelOf, bodies } = frame;
    if (!bodies) return [];
    // With a margin for half of a dot.
    const seen = { x: -DOT_PX, y: -DOT_PX, width: width + 2 * DOT_PX, height: height + 2 * DOT_PX };
    const drawn = bodies.trajectories
      .map(({ isBehind, points }) => drawnPart(isBehind, points.map(pixelOf), seen))
      .filter(({ lines, dots }) => lines.length + dots.length > 0);
    const inFrame = bodies.labels
      .map((body) => [body, pixelOf(body)] as const)
      .filter(([, [x, y]]) => overlap({ x: 0, y: 0, width, height }, { x, y, width: 0, height: 0 }));
    // The first ones of the selection are on top, as in the web client.
    return [...ways(drawn.toReversed()), ...inFrame.toReversed().map(([body, at]) => label(body, at, frame))];
  },
} as const satisfies OverlayRecord<Selection | null>;
