// The watermark: the logo at the bottom right, and a line with name and time per layer at the bottom left.
import { formatDateTime } from '../../domain/time.ts';
import { LOGO, MARK } from './drawings.ts';
import { textWidth } from './font.ts';
import { type Box, type FrameSize, type Overlay, overlap } from './svg.ts';
import { cleanLine, textElement } from './text.ts';

export interface WatermarkLine {
  /** `SDO AIA 171`. */
  readonly name: string;
  readonly takenAtMs: number;
  /** Text after the time: a difference suffix, or `UTC`. */
  readonly suffix?: string;
}

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

function logo(frame: FrameSize, scaleBox: Box | null): Overlay {
  const isWide = frame.width >= WIDE_PX;
  const side = Math.round((49 * frame.width) / WIDE_PX);
  const { width, height } = isWide ? LOGO : { width: side, height: side };
  const x = frame.width - LOGO_MARGIN_PX - width;
  const corner = { x, y: frame.height - LOGO_MARGIN_PX - height, width, height };
  const y = scaleBox && overlap(corner, scaleBox) ? scaleBox.y - LOGO_MARGIN_PX - height : corner.y;
  const svg = isWide ? LOGO.markup : `<g transform="scale(${side / MARK.width})">${MARK.markup}</g>`;
  return { ...corner, y, svg };
}

/** Baseline of the first line from the top of the frame, so that the last line stays inside. */
function firstBaseline(frame: FrameSize, lines: number): number {
  return Math.min(frame.height - 15 - 10 * lines, frame.height - LAST_BASELINE_PX - LINE_PX * (lines - 1));
}

interface Columns {
  readonly names: readonly string[];
  readonly times: readonly string[];
  readonly sizePx: number;
  /** Offset of the times column from the names column. */
  readonly timesX: number;
  readonly width: number;
}

/** Both columns at the largest font size that fits into `room` pixels, or at the minimum size. */
function columns(lines: readonly WatermarkLine[], room: number): Columns {
  const names = lines.map(({ name }) => cleanLine(name));
  const times = lines.map(({ takenAtMs, suffix }) => cleanLine(`${formatDateTime(takenAtMs)} ${suffix ?? ''}`));
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => textWidth(text, 1)));
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

function layerText(frame: FrameSize, lines: readonly WatermarkLine[], mark: Box, scaleBox: Box | null): Overlay {
  let baseline = firstBaseline(frame, lines.length);
  let left = TEXT_LEFT_PX;
  const fitted = () => columns(lines, frame.width - left - TEXT_LEFT_PX);
  if (scaleBox && overlap(textBox(fitted(), lines.length, left, baseline), scaleBox)) {
    left = Math.max(left, scaleBox.x + scaleBox.width + TEXT_GAP_PX);
  }
  const text = fitted();
  let box = textBox(text, lines.length, left, baseline);
  if (overlap(box, mark)) {
    baseline -= box.y + box.height + TEXT_GAP_PX / 2 - mark.y;
    box = textBox(text, lines.length, left, baseline);
  }
  const style = { sizePx: text.sizePx, outlinePx: OUTLINE_PX, outlineOpacity: 1 };
  const row = (line: string, column: number, i: number) =>
    textElement(line, left - box.x + column, baseline - box.y + i * LINE_PX, style);
  const rows = lines.map((_, i) => row(text.names[i]!, 0, i) + row(text.times[i]!, text.timesX, i));
  return { ...box, svg: rows.join('') };
}

/**
 * Logo and text of a frame; nothing on frames that are too small. Lines follow the order of the layers, and move beside the scale
 * indicator and above the logo where they would overlap them.
 */
export function watermark(frame: FrameSize, lines: readonly WatermarkLine[], scaleBox: Box | null): Overlay[] {
  if (frame.width < MIN_SIDE_PX || frame.height < MIN_SIDE_PX) return [];
  const mark = logo(frame, scaleBox);
  if (frame.width <= TEXT_WIDTH_PX || lines.length === 0) return [mark];
  return [mark, layerText(frame, lines, mark, scaleBox)];
}
