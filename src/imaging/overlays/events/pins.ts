// Pins of events with the letters of their type. The tip of a pin is the position of the event.

import { textWidth } from '../font.ts';
import { type Box, colour, type Overlay } from '../svg.ts';
import { cleanLine, textElement } from '../text.ts';
import type { EventMarker } from './event-marker.ts';

/** The box of a pin relative to its tip. */
export const PIN_BOX = { x: -12, y: -38, width: 23, height: 39 } as const;
const HEAD = { x: 12, y: 12 } as const;

/** Letters that fit into the head. */
const MAX_LETTERS = 3;

const BODY = 'M12 38C11 30.5 2.4 21.5 2.4 12A9.6 9.6 0 0 1 21.6 12C21.6 21.5 13 30.5 12 38Z';
const SHINE = 'M5 9.6A7.5 7.5 0 0 1 19 9.6';

/** Positions beyond this are never visible. */
const MAX_POSITION_PX = 1_000_000;

export const isPlaced = ({ x, y }: Pick<EventMarker, 'x' | 'y'>) =>
  Math.abs(x) <= MAX_POSITION_PX && Math.abs(y) <= MAX_POSITION_PX;

/** The box of a pin in the frame, on whole pixels, so that pins of a type share a cached raster. */
export function pinBox({ x, y }: Pick<EventMarker, 'x' | 'y'>): Box {
  return { ...PIN_BOX, x: Math.round(x) + PIN_BOX.x, y: Math.round(y) + PIN_BOX.y };
}

function letters(pin: string): string {
  const text = Array.from(cleanLine(pin)).slice(0, MAX_LETTERS).join('');
  const sizePx = text.length < 3 ? 9.5 : 7;
  const x = HEAD.x - textWidth(text, sizePx) / 2;
  const style = { sizePx, fill: '#101010', outlinePx: 0, outlineOpacity: 0 };
  return textElement(text, x, HEAD.y + 0.365 * sizePx, style);
}

export function eventPin(marker: EventMarker): Overlay {
  const body = `<path d="${BODY}" fill="${colour(marker.colour)}" stroke="#000" stroke-opacity="0.75" stroke-width="1.2"/>`;
  const shine = `<path d="${SHINE}" fill="none" stroke="#fff" stroke-opacity="0.55" stroke-width="1.3" stroke-linecap="round"/>`;
  return { ...pinBox(marker), svg: body + shine + letters(marker.pin) };
}
