// Appearance of each channel: a table of parameters per kind of image.

type LookOf<Kind extends string, Column extends string> = { readonly kind: Kind } & Readonly<Record<Column, number>>;

/** Looks of a kind by name, from the rows of a table with these columns. */
function lookTable<const Kind extends string, const Column extends string, Name extends string>(
  kind: Kind,
  columns: readonly Column[],
  rows: Readonly<Record<Name, readonly number[]>>,
): Record<Name, LookOf<Kind, Column>> {
  const looks = Object.entries<readonly number[]>(rows).map(([name, row]) => {
    const look = Object.fromEntries(columns.map((column, i) => [column, row[i]]));
    return [name, { kind, ...look }];
  });
  return Object.fromEntries(looks) as Record<Name, LookOf<Kind, Column>>;
}

// Hot, optically thin corona, and the chromosphere in 304 A; intensities are relative to the quiet Sun at disk centre. Columns: grey level
// of that and the power law from intensity to grey; weights of the noise maps in the logarithm of the intensity; limb brightening, and
// scale height in solar radii; darkening in holes; glow and loops of active regions, light at the feet of loops with fans; darkness of
// filaments on the disk, brightness of prominences off it, and that of a flare of class X1.
// biome-ignore format: a table
const CORONAE = lookTable('corona',
  ['quietGrey', 'gamma', 'clouds', 'threads', 'network', 'mottles', 'limb', 'scaleHeight', 'holeDepth', 'glow', 'loops',
   'feet', 'loopBlurDeg', 'filament', 'prominence', 'flare', 'brightPoints'],
  {
    euv171:   [60,  0.5, 0.42, 0.16, 0.12, 0.14,  1.7,  0.05,  0.6, 1.7,  1.6,  0.4,  0.1, 0.5, 0.12,     30,   1],
    euv193:   [76,  0.5,  0.5, 0.16, 0.05, 0.14,  2.6,  0.07,  0.8, 3.6,  1.3,  0.1,  0.2, 0.5, 0.12,     40, 1.6],
    euv211:   [52,  0.5, 0.55,  0.1, 0.02, 0.14,  2.2,  0.08, 0.78,   5,  1.3,    0,  0.3, 0.5, 0.12,     45,   1],
    euv284:   [46,  0.5,  0.5, 0.08, 0.03, 0.14,  1.3, 0.085, 0.75,  12,  0.9,    0, 0.35, 0.5, 0.12,     50,   1],
    euv335:   [34,  0.5,  0.4, 0.05, 0.03, 0.14,    1,  0.08,  0.6,  18,  1.6,    0,  0.4, 0.5, 0.12,    160,   1],
    euv94:    [20,  0.5, 0.35, 0.16, 0.12, 0.25,  0.8,  0.05,  0.5,  14,    5,    0, 0.25, 0.2, 0.12,    900,   1],
    euv131:   [26,  0.5, 0.35, 0.16, 0.12, 0.25,  0.9, 0.045,  0.5,   3,  1.2, 0.35,  0.1, 0.5, 0.12,    900,   1],
    euv304:   [60,  0.5,  0.2, 0.08, 0.42,  0.2, 0.28, 0.012,  0.2, 2.2, 0.35,  0.9,  0.1, 1.1,  2.4,     30, 0.6],
    xray:     [24, 0.42,  0.7,  0.1,    0, 0.06,  0.9,  0.08, 0.93,  45,    8,    0,  0.5, 0.2,    0,    900,   6],
    hardXray: [ 2,  0.6,  0.1,    0,    0,  0.5,    0,  0.02,  0.6,   2,    0,  0.4,  0.1,   0,    0, 30_000,   0],
  },
);

// Photosphere and low chromosphere. Limb darkening is 1 - u (1 - mu) - v (1 - mu)^2; faculae brighten plage towards the limb.
// biome-ignore format: a table
const PHOTOSPHERES = lookTable('photosphere',
  ['centreGrey', 'darkening', 'darkening2', 'granulation', 'network', 'spots', 'plage', 'faculae', 'filament', 'flare'],
  {
    continuum: [236,  0.5, 0.16, 0.012,    0,   1,   0, 0.06,    0,   0],
    uv1600:    [ 92, 0.25,  0.1,  0.05, 0.17, 0.7, 1.1,  0.2,    0,   2],
    uv1700:    [118, 0.45, 0.15,  0.05,  0.1, 0.8, 0.6,  0.2,    0, 0.8],
    lyman:     [ 84, -0.1,    0,   0.1,  0.3, 0.1, 1.6,    0,  0.7,   2],
    uv2796:    [100,  0.2, 0.05,  0.08, 0.22, 0.5,   1,  0.1,  0.3, 1.2],
    farUv:     [ 62, 0.05,    0,  0.08, 0.22, 0.4, 0.7,  0.1,  0.2,   2],
    hAlpha:    [150, 0.45, 0.15,  0.06, 0.06, 0.6, 0.4,    0, 0.75,   1],
  },
);

// White-light corona behind an occulter: radii in solar radii, `fall` the exponent of the radial falloff after background subtraction.
// biome-ignore format: a table
const CORONAGRAPHS = lookTable('coronagraph',
  ['occulter', 'outer', 'background', 'streamers', 'fall', 'noise', 'stars', 'cme', 'pylon'],
  {
    lascoC2: [ 2.1,  7.8, 70,  75,  0.8, 5, 0.6, 85, 0],
    lascoC3: [ 4.2,   31, 78,  46, 0.62, 6,   1, 60, 1],
    cor1:    [1.35,  4.5, 45,  90,  1.6, 7,   0, 85, 0],
    cor2:    [ 2.4, 15.7, 72,  58,  0.7, 4,   1, 85, 0],
    kCor:    [1.06, 2.95, 18, 150,  3.2, 5,   0, 60, 0],
    punch:   [ 5.6,  170, 40,  80, 0.35, 3,   1, 60, 0],
  },
);

/** Line-of-sight magnetic field: grey 128 is 0; grey levels a gauss, and the noise at disk centre in grey levels. */
const magnetogram = { kind: 'magnetogram', greyPerGauss: 0.22, noise: 3 } as const;

export const LOOKS = { ...CORONAE, ...PHOTOSPHERES, ...CORONAGRAPHS, magnetogram };

export type LookName = keyof typeof LOOKS;
export type CoronaLook = (typeof CORONAE)['euv171'];
export type PhotosphereLook = (typeof PHOTOSPHERES)['continuum'];
export type CoronagraphLook = (typeof CORONAGRAPHS)['cor1'];
export type MagnetogramLook = typeof magnetogram;
export type Look = CoronaLook | PhotosphereLook | CoronagraphLook | MagnetogramLook;
