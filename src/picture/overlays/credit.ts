// The credit lines of the missions whose images are in a picture, at its upper left.
import { flagOverlay } from './overlay.ts';

/** Distance from the edges, of each line from the next one, and sizes of letters: smaller where a line is longer than the frame. */
const MARGIN_PX = 12;
const LINE_PX = 14;
const SIZE_PX = { most: 12, least: 6 };
const OUTLINE_PX = 2;

export const CREDIT = flagOverlay('credit', {
  description: 'The line by which each mission asks to be named, as getDataSources has it, at the upper left.',
  level: 'caption',
  draw: ({ width, captions, kit }) => {
    const lines = [...new Set(captions.map(({ credit }) => credit))].filter((line) => line !== undefined).map(kit.cleanLine);
    if (lines.length === 0) return [];
    const room = width - 2 * MARGIN_PX;
    const widest = Math.max(...lines.map((line) => kit.textWidth(line, 1)));
    const sizePx = Math.min(SIZE_PX.most, Math.max(SIZE_PX.least, room / widest));
    const style = { sizePx, outlinePx: OUTLINE_PX, outlineOpacity: 1 };
    const rows = lines.map((line, i) => kit.textElement(line, OUTLINE_PX, LINE_PX * (i + 1), style));
    const box = { width: Math.ceil(widest * sizePx) + 2 * OUTLINE_PX, height: LINE_PX * lines.length + MARGIN_PX };
    return [{ x: MARGIN_PX - OUTLINE_PX, y: MARGIN_PX / 2, ...box, svg: rows.join('') }];
  },
});
