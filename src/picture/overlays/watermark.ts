// The watermark: the logo at the bottom right, and a line with name and time per layer at the bottom left.
import { formatDateTime } from '../../sun/time.ts';
import { type Box, flagOverlay, type Overlay, type OverlayFrame, overlap } from './overlay.ts';

/** Frames smaller than this in either direction have no watermark, and frames up to TEXT_WIDTH_PX wide have no text. */
const MIN_SIDE_PX = 200;
const TEXT_WIDTH_PX = 285;
/** From this width on the logo includes the name; below, the mark alone scales with the frame. */
const WIDE_PX = 600;
const LOGO_MARGIN_PX = 10;

const TEXT_LEFT_PX = 12;
const TEXT_GAP_PX = 8;
const COLUMN_GAP_PX = 10;
const LINE_PX = 14;
const LAST_BASELINE_PX = 12;
const SIZE_PX = 12;
const MIN_SIZE_PX = 8;
const ASCENT_EM = 0.93;
const DESCENT_EM = 0.24;
const OUTLINE_PX = 2;

function logo({ width: frameWidth, height: frameHeight, taken, kit }: OverlayFrame): Overlay {
  const isWide = frameWidth >= WIDE_PX;
  const side = Math.round((49 * frameWidth) / WIDE_PX);
  const { logo: wideLogo, mark } = kit.drawings;
  const { width, height } = isWide ? wideLogo : { width: side, height: side };
  const x = frameWidth - LOGO_MARGIN_PX - width;
  const corner = { x, y: frameHeight - LOGO_MARGIN_PX - height, width, height };
  const below = taken.find((box) => overlap(corner, box));
  const y = below ? below.y - LOGO_MARGIN_PX - height : corner.y;
  const svg = isWide ? wideLogo.markup : `<g transform="scale(${side / mark.width})">${mark.markup}</g>`;
  return { ...corner, y, svg };
}

/** Baseline of the first line from the top of the frame, so that the last line stays inside. */
const firstBaseline = (frameHeight: number, lines: number): number =>
  Math.min(frameHeight - 15 - 10 * lines, frameHeight - LAST_BASELINE_PX - LINE_PX * (lines - 1));

interface Columns {
  readonly names: readonly string[];
  readonly times: readonly string[];
  readonly sizePx: number;
  /** Offset of the times column from the names column. */
  readonly timesX: number;
  readonly width: number;
}

/** Both columns at the largest font size that fits into `room` pixels, or at the minimum size. */
function columns({ captions, kit }: OverlayFrame, room: number): Columns {
  const names = captions.map(({ name }) => kit.cleanLine(name));
  const times = captions.map(({ takenAtMs, suffix }) => kit.cleanLine(`${formatDateTime(takenAtMs)} ${suffix ?? ''}`));
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => kit.textWidth(text, 1)));
  const ems = widest(names) + widest(times);
  const sizePx = Math.min(SIZE_PX, Math.max(MIN_SIZE_PX, Math.floor((2 * (room - COLUMN_GAP_PX)) / ems) / 2));
  const timesX = Math.ceil(widest(names) * sizePx) + COLUMN_GAP_PX;
  return { names, times, sizePx, timesX, width: timesX + Math.ceil(widest(times) * sizePx) };
}

/** The box of the lines, given the left edge of the letters and the first baseline. */
function textBox({ width, sizePx }: Columns, lines: number, left: number, baseline: number): Box {
  const top = baseline - Math.ceil(ASCENT_EM * sizePx) - OUTLINE_PX;
  const bottom = baseline + LINE_PX * (lines - 1) + Math.ceil(DESCENT_EM * sizePx) + OUTLINE_PX;
  return { x: left - OUTLINE_PX, y: top, width: width + 2 * OUTLINE_PX, height: bottom - top };
}

function layerText(frame: OverlayFrame, mark: Box): Overlay {
  const { captions, taken, kit } = frame;
  const count = captions.length;
  let baseline = firstBaseline(frame.height, count);
  let left = TEXT_LEFT_PX;
  const fitted = () => columns(frame, frame.width - left - TEXT_LEFT_PX);
  const beside = taken.find((box) => overlap(textBox(fitted(), count, left, baseline), box));
  if (beside) left = Math.max(left, beside.x + beside.width + TEXT_GAP_PX);
  const text = fitted();
  let box = textBox(text, count, left, baseline);
  if (overlap(box, mark)) {
    baseline -= box.y + box.height + TEXT_GAP_PX / 2 - mark.y;
    box = textBox(text, count, left, baseline);
  }
  const style = { sizePx: text.sizePx, outlinePx: OUTLINE_PX, outlineOpacity: 1 };
  const row = (line: string, column: number, i: number) =>
    kit.textElement(line, left - box.x + column, baseline - box.y + i * LINE_PX, style);
  const rows = captions.map((_, i) => row(text.names[i]!, 0, i) + row(text.times[i]!, text.timesX, i));
  return { ...box, svg: rows.join('') };
}

/** Logo and text, in the order of the layers, clear of the scale indicator and the logo; nothing on frames that are too small. */
export const WATERMARK = flagOverlay('watermark', {
  description: 'Logo, names of the layers and observation times of their images.',
  byDefault: true,
  isInV1: true,
  level: 'caption',
  headers: 'all',
  draw: (frame) => {
    if (frame.width < MIN_SIDE_PX || frame.height < MIN_SIDE_PX) return [];
    const mark = logo(frame);
    if (frame.width <= TEXT_WIDTH_PX || frame.captions.length === 0) return [mark];
    return [mark, layerText(frame, mark)];
  },
});
