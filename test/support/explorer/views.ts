// Screens and addresses of the explorer, for its tests.
import type { BrowserContextOptions } from 'playwright-core';

export const PATIENCE = { timeout: 60_000 };
/** For a movie, before which others may be built. */
export const BUILT = { timeout: 150_000 };
export const IN_BRITISH_ENGLISH = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };
export const AT_NOON = '/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]';
/** AIA 171 during the strongest flare of the sample's day. */
export const AT_SEVEN = '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]';
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const TABLET = { viewport: { width: 820, height: 1180 }, hasTouch: true };
export const LARGE = { viewport: { width: 1440, height: 900 } };
export const LOW = { viewport: { width: 844, height: 390 }, hasTouch: true };
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

export const SCREENS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['desktop', LARGE],
  ['phone', PHONE],
  ['phone on its side', LOW],
];

/** Requests of what pictures are drawn from. Lists and headers, which panels and the timeline need, may load at any time. */
export const DRAWN_FROM = /\/v2\/(?:get(?:Tile|Frame)|takeScreenshot)\//;
