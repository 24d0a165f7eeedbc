// Markers of users' movies: an icon in the middle of the region that a movie shows, and the names of its layers.
import { flagOverlay, overlap } from './overlay.ts';

const ICON_PX = 20;
const LABEL_X_PX = ICON_PX + 4;
const BASELINE_PX = 14;
const STYLE = { sizePx: 10, outlinePx: 2.6, outlineOpacity: 0.8 };

const ICON =
  '<rect x="1" y="3" width="18" height="14" rx="2.5" fill="#111" fill-opacity="0.8" stroke="#fff" stroke-width="1.4"/>' +
  '<path d="M3.6 5.6v8.8M16.4 5.6v8.8" stroke="#fff" stroke-width="1.4" stroke-dasharray="1.6 2"/>' +
  '<path d="M7.8 6.6v6.8l5.6-3.4z" fill="#ffc53d" stroke="#ffc53d" stroke-linejoin="round"/>';

export const MOVIE_ICONS = flagOverlay('movieIcons', {
  description: 'Markers of shared movies.',
  level: 'marker',
  draw: ({ width, height, movies, kit }) => {
    const icons = movies
      .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
      .map(({ x, y, label }) => {
        const line = kit.cleanLine(label);
        return {
          x: Math.round(x) - ICON_PX / 2,
          y: Math.round(y) - ICON_PX / 2,
          width: line === '' ? ICON_PX : LABEL_X_PX + Math.ceil(kit.textWidth(line, STYLE.sizePx)) + 2,
          height: ICON_PX,
          svg: ICON + (line === '' ? '' : kit.textElement(line, LABEL_X_PX, BASELINE_PX, STYLE)),
        };
      });
    return icons.filter((icon) => overlap(icon, { x: 0, y: 0, width, height }));
  },
});
