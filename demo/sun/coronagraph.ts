// White-light corona around an occulter: streamers over the neutral line, ejections, stars.
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { type Cme, cmesAt, longitudeAt } from './features.ts';
import type { CoronagraphLook } from './looks.ts';
import { hash, noise3, randomStream } from './noise.ts';
import { SOLAR_RADIUS_KM } from './observer.ts';
import type { Surface } from './surface.ts';
import { eachPixel, type View } from './view.ts';

const ANGLES = 1440;
/** Entries per solar radius in the table of the radial falloff. */
const FALL_STEPS = 200;

/** Grey levels, not yet rounded; 0 behind the occulter and outside the field. */
export function renderCoronagraph(view: View, surface: Surface, look: CoronagraphLook): Float32Array {
  const image = new Float32Array(view.width * view.height);
  const streamers = streamerProfile(view, surface);
  const rays = rayProfile(surface);
  const shells = cmesAt(surface.timeMs).map((cme) => shellOf(view, cme, surface.timeMs));
  const falls = Float32Array.from(
    { length: Math.ceil(look.outer * FALL_STEPS) + 2 },
    (_, i) => (look.occulter / Math.max(0.5, i / FALL_STEPS)) ** look.fall,
  );
  const seed = hash(700, Math.floor(surface.timeMs / 1000));
  for (let y = 0; y < view.height; y++) {
    const dy = (view.centreY - y) / view.limbPixels;
    for (let x = 0; x < view.width; x++) {
      const dx = (x - view.centreX) / view.limbPixels;
      const r = Math.sqrt(dx * dx + dy * dy);
      if (r < look.occulter * 0.96 || r > look.outer) continue;
      const angle = Math.atan2(dy, dx);
      const turn = (angle / (2 * Math.PI) + (angle < 0 ? 1 : 0)) * ANGLES;
      const k = Math.min(ANGLES - 1, Math.floor(turn));
      const t = turn - k;
      const broad = streamers[k]! * (1 - t) + streamers[k + 1]! * t;
      const fine = rays[k]! * (1 - t) + rays[k + 1]! * t;
      const fall = falls[Math.round(r * FALL_STEPS)]!;
      let value = look.background + look.streamers * fall * (broad * (1 + 0.35 * fine) + 0.1 * fine);
      for (const shell of shells) value += look.cme * shellLight(shell, dx, dy, fall);
      const at = y * view.width + x;
      const dice = Math.imul(at ^ seed, 0x9e3779b1);
      value += ((((dice >>> 8) & 255) + ((dice >>> 16) & 255) - 255) / 128) * look.noise * (0.6 + 0.4 * (r / look.outer));
      const vignette = Math.min(1, (r - look.occulter * 0.96) / (look.occulter * 0.12));
      const rim = Math.min(1, (look.outer - r) / (look.outer * 0.01));
      image[at] = value * (0.35 + 0.65 * vignette) * rim;
    }
  }
  if (look.stars > 0) drawStars(image, view, surface.timeMs, look);
  if (look.pylon) drawPylon(image, view, look);
  return image;
}

/** Brightness by position angle: the belt of streamers seen edge-on at both limbs, through the depth of the corona. */
function streamerProfile(view: View, surface: Surface): Float32Array {
  const profile = new Float32Array(ANGLES + 1);
  for (let depth = -50; depth <= 50; depth += 4)
    for (const side of [1, -1]) {
      const longitude = view.observer.longitudeDeg + side * (90 - depth);
      const { latitudeDeg, light, width } = beltAt(longitude, surface.timeMs);
      const [c, s] = [Math.cos(latitudeDeg * RAD), Math.sin(latitudeDeg * RAD)];
      const up = s * view.cosLatitude - c * Math.sin(depth * RAD) * view.sinLatitude;
      const west = side * c * Math.cos(depth * RAD);
      const centre = (Math.atan2(up, west) / (2 * Math.PI) + 1) * ANGLES;
      const weight = light * Math.cos(depth * RAD) ** 4 * 0.3;
      const reach = Math.ceil(width * 3.2);
      for (let k = Math.floor(centre) - reach; k <= centre + reach; k++) {
        const at = ((k % ANGLES) + ANGLES) % ANGLES;
        profile[at]! += weight * Math.exp(-(((k - centre) / width) ** 2));
      }
    }
  profile[ANGLES] = profile[0]!;
  return profile;
}

/** The streamer belt over a Carrington longitude; it changes over weeks. */
function beltAt(longitudeDeg: number, timeMs: number): { latitudeDeg: number; light: number; width: number } {
  const months = timeMs / (27.3 * DAY_MS);
  const [x, y] = [Math.cos(longitudeDeg * RAD), Math.sin(longitudeDeg * RAD)];
  const latitudeDeg =
    62 * (noise3(1.3 * x + 20, 1.3 * y + 20, months * 0.7) + 0.6 * noise3(3 * x + 20, 3 * y + 20, months * 0.7 + 9));
  return {
    latitudeDeg,
    light: 0.5 + 0.8 * Math.max(0, 0.4 + noise3(6 * x + 20, 6 * y + 20, months)),
    width: 17 + 14 * (1 + noise3(4 * x + 50, 4 * y, months)),
  };
}

/** Fine rays by position angle, about -1 to 1. */
function rayProfile(surface: Surface): Float32Array {
  const days = surface.timeMs / DAY_MS;
  return Float32Array.from({ length: ANGLES + 1 }, (_, k) => {
    const angle = (k / ANGLES) * 2 * Math.PI;
    const [x, y] = [Math.cos(angle) + 5, Math.sin(angle) + 5];
    return (
      noise3(x * 9, y * 9, days * 0.9) + 0.6 * noise3(x * 24, y * 24, days * 1.6) + 0.35 * noise3(x * 60, y * 60, days * 2.5)
    );
  });
}

type Shell = ReturnType<typeof shellOf>;

/** An ejection as a bubble in the plane of the sky, solar radii. */
function shellOf(view: View, cme: Cme, timeMs: number) {
  const front = 1.1 + (cme.speedKmPerS * (timeMs - cme.startMs)) / 1000 / SOLAR_RADIUS_KM;
  const opening = Math.sin(cme.halfWidthDeg * RAD);
  const distance = front / (1 + opening);
  const longitude = (longitudeAt(cme, timeMs) - view.observer.longitudeDeg) * RAD;
  const [c, s] = [Math.cos(cme.latitudeDeg * RAD), Math.sin(cme.latitudeDeg * RAD)];
  const ahead = c * Math.cos(longitude);
  const x = c * Math.sin(longitude);
  const y = s * view.cosLatitude - ahead * view.sinLatitude;
  const away = Math.max(1e-6, Math.hypot(x, y));
  return {
    x: x * distance,
    y: y * distance,
    radius: distance * opening,
    outX: x / away,
    outY: y / away,
    fade: Math.min(1, 1.5 / (1 + front / 14)),
    seed: hash(701, Math.round(cme.startMs / 1000)) % 500,
  };
}

/** Bright front, dark cavity, core trailing inside. */
function shellLight(shell: Shell, x: number, y: number, fall: number): number {
  const dx = (x - shell.x) / shell.radius;
  const dy = (y - shell.y) / shell.radius;
  const d2 = dx * dx + dy * dy;
  if (d2 > 1.7) return 0;
  const d = Math.sqrt(d2);
  let light = d < 1 ? 0.12 * (1 - d2) - 0.14 * Math.exp(-(((d - 0.62) / 0.18) ** 2)) : 0;
  if (d > 0.6) light += frontLight(shell, dx, dy, d);
  const cx = dx + 0.38 * shell.outX;
  const cy = dy + 0.38 * shell.outY;
  const core = (cx * cx + cy * cy) / 0.045;
  if (core < 6) light += 0.75 * Math.exp(-core) * (0.7 + 0.6 * noise3(dx * 12 + shell.seed, dy * 12, 3.5));
  return light * shell.fade * (0.45 + 0.55 * fall);
}

function frontLight(shell: Shell, dx: number, dy: number, d: number): number {
  const ragged = d * (1 + 0.06 * noise3(dx * 3 + shell.seed, dy * 3, 0.5) + 0.03 * noise3(dx * 9 + shell.seed, dy * 9, 1.5));
  const off = (ragged - 1) / (ragged > 1 ? 0.05 : 0.13);
  if (Math.abs(off) > 3) return 0;
  const forward = (dx * shell.outX + dy * shell.outY) / d;
  return Math.exp(-off * off) * (0.55 + 0.45 * forward) * (1 + 0.5 * noise3(dx * 7, dy * 7, shell.seed + 0.5));
}

/** Longitude and latitude in degrees, within 16 of the ecliptic, and light. */
let stars: (readonly [number, number, number])[] | undefined;

/** A star field that drifts by a degree a day with the observer's orbit. */
function drawStars(image: Float32Array, view: View, timeMs: number, look: CoronagraphLook): void {
  const degreesPerPixel = view.scaleArcsecPerPixel / 3600;
  const drift = (timeMs / DAY_MS) % 360;
  stars ??= Array.from({ length: 120_000 }, (_, i) => {
    const { between } = randomStream(800, i);
    return [between(0, 360), between(-16, 16), Math.min(190, 9 * between(0.002, 1) ** -0.62)] as const;
  });
  for (const [longitude, latitude, light] of stars) {
    const x = view.centreX + (((longitude + drift) % 360) - 180) / degreesPerPixel;
    const y = view.centreY - latitude / degreesPerPixel;
    if (x >= 2 && x <= view.width - 3 && y >= 2 && y <= view.height - 3) drawStar(image, view, x, y, look.stars * light);
  }
}

function drawStar(image: Float32Array, view: View, x: number, y: number, light: number): void {
  const [cx, cy] = [Math.round(x), Math.round(y)];
  if (image[cy * view.width + cx]! === 0) return;
  eachPixel(view, { x0: cx - 2, x1: cx + 3, y0: cy - 2, y1: cy + 3 }, (u, v, at) => {
    image[at]! += light * Math.exp(-((u - x) ** 2 + (v - y) ** 2) / 0.9);
  });
}

function drawPylon(image: Float32Array, view: View, look: CoronagraphLook): void {
  const angle = 217 * RAD;
  eachPixel(view, { x0: 0, x1: view.width, y0: 0, y1: view.height }, (x, y, at) => {
    const [dx, dy] = [(x - view.centreX) / view.limbPixels, (view.centreY - y) / view.limbPixels];
    const along = dx * Math.cos(angle) + dy * Math.sin(angle);
    if (along < 0) return;
    const aside = Math.abs(dy * Math.cos(angle) - dx * Math.sin(angle));
    const half = 0.25 * look.occulter + along * 0.035;
    if (aside < half) image[at]! *= Math.min(1, Math.max(0, (aside / half - 0.75) * 4));
  });
}
