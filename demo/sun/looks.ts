// Appearance of each channel: a table of parameters per kind of image.

/** Hot, optically thin corona, and the chromosphere in 304 A. Intensities are relative to the quiet Sun at disk centre. */
export interface CoronaLook {
  readonly kind: 'corona';
  /** Grey level of the quiet Sun at disk centre, and the power law from intensity to grey. */
  readonly quietGrey: number;
  readonly gamma: number;
  /** Weights of the noise maps in the logarithm of the intensity. */
  readonly clouds: number;
  readonly threads: number;
  readonly network: number;
  readonly mottles: number;
  /** Limb brightening relative to the centre, and scale height, solar radii. */
  readonly limb: number;
  readonly scaleHeight: number;
  /** Relative darkening in coronal holes. */
  readonly holeDepth: number;
  /** Diffuse glow of active regions and of their loops; `feet` concentrates light at the footpoints and adds fans. */
  readonly glow: number;
  readonly loops: number;
  readonly feet: number;
  readonly loopBlurDeg: number;
  /** Darkness of filaments on the disk, brightness of prominences off it. */
  readonly filament: number;
  readonly prominence: number;
  /** Brightness of a flare of class X1. */
  readonly flare: number;
  readonly brightPoints: number;
}

/** Photosphere and low chromosphere: limb darkening, spots, plage. */
export interface PhotosphereLook {
  readonly kind: 'photosphere';
  readonly centreGrey: number;
  /** Coefficients of mu and mu squared in the limb darkening 1 - u (1 - mu) - v (1 - mu)^2. */
  readonly darkening: readonly [number, number];
  readonly granulation: number;
  readonly network: number;
  readonly spots: number;
  /** Brightening of plage, and of faculae towards the limb. */
  readonly plage: number;
  readonly faculae: number;
  readonly filament: number;
  readonly flare: number;
}

/** Line-of-sight magnetic field; grey 128 is 0. */
export interface MagnetogramLook {
  readonly kind: 'magnetogram';
  /** Grey levels per gauss, and the noise at disk centre in grey levels. */
  readonly greyPerGauss: number;
  readonly noise: number;
}

/** White-light corona behind an occulter; radii in solar radii. */
export interface CoronagraphLook {
  readonly kind: 'coronagraph';
  readonly occulter: number;
  readonly outer: number;
  readonly background: number;
  readonly streamers: number;
  /** Exponent of the radial falloff after background subtraction. */
  readonly fall: number;
  readonly noise: number;
  readonly stars: number;
  readonly cme: number;
  readonly pylon: boolean;
}

export type Look = CoronaLook | PhotosphereLook | MagnetogramLook | CoronagraphLook;

const CORONA: CoronaLook = {
  kind: 'corona',
  quietGrey: 60,
  gamma: 0.5,
  clouds: 0.42,
  threads: 0.16,
  network: 0.12,
  mottles: 0.14,
  limb: 1.7,
  scaleHeight: 0.05,
  holeDepth: 0.6,
  glow: 1.7,
  loops: 1.6,
  feet: 0.4,
  loopBlurDeg: 0.1,
  filament: 0.5,
  prominence: 0.12,
  flare: 30,
  brightPoints: 1,
};

const PHOTOSPHERE: PhotosphereLook = {
  kind: 'photosphere',
  centreGrey: 236,
  darkening: [0.5, 0.16],
  granulation: 0.012,
  network: 0,
  spots: 1,
  plage: 0,
  faculae: 0.06,
  filament: 0,
  flare: 0,
};

const CORONAGRAPH: CoronagraphLook = {
  kind: 'coronagraph',
  occulter: 2.1,
  outer: 7.8,
  background: 70,
  streamers: 75,
  fall: 0.8,
  noise: 5,
  stars: 0.6,
  cme: 85,
  pylon: false,
};

export const LOOKS = {
  euv171: CORONA,
  euv193: {
    ...CORONA,
    quietGrey: 76,
    clouds: 0.5,
    limb: 2.6,
    scaleHeight: 0.07,
    holeDepth: 0.8,
    glow: 3.6,
    loops: 1.3,
    feet: 0.1,
    loopBlurDeg: 0.2,
    network: 0.05,
    flare: 40,
    brightPoints: 1.6,
  },
  euv211: {
    ...CORONA,
    quietGrey: 52,
    clouds: 0.55,
    limb: 2.2,
    scaleHeight: 0.08,
    holeDepth: 0.78,
    glow: 5,
    loops: 1.3,
    feet: 0,
    loopBlurDeg: 0.3,
    network: 0.02,
    threads: 0.1,
    flare: 45,
  },
  euv284: {
    ...CORONA,
    quietGrey: 46,
    clouds: 0.5,
    limb: 1.3,
    scaleHeight: 0.085,
    holeDepth: 0.75,
    glow: 12,
    loops: 0.9,
    feet: 0,
    loopBlurDeg: 0.35,
    network: 0.03,
    threads: 0.08,
    flare: 50,
  },
  euv335: {
    ...CORONA,
    quietGrey: 34,
    clouds: 0.4,
    limb: 1,
    scaleHeight: 0.08,
    holeDepth: 0.6,
    glow: 18,
    loops: 1.6,
    feet: 0,
    loopBlurDeg: 0.4,
    network: 0.03,
    threads: 0.05,
    flare: 160,
  },
  euv94: {
    ...CORONA,
    quietGrey: 20,
    clouds: 0.35,
    limb: 0.8,
    scaleHeight: 0.05,
    holeDepth: 0.5,
    glow: 14,
    loops: 5,
    feet: 0,
    loopBlurDeg: 0.25,
    mottles: 0.25,
    flare: 900,
    filament: 0.2,
  },
  euv131: {
    ...CORONA,
    quietGrey: 26,
    clouds: 0.35,
    limb: 0.9,
    scaleHeight: 0.045,
    holeDepth: 0.5,
    glow: 3,
    loops: 1.2,
    feet: 0.35,
    mottles: 0.25,
    flare: 900,
  },
  euv304: {
    ...CORONA,
    quietGrey: 60,
    clouds: 0.2,
    threads: 0.08,
    network: 0.42,
    mottles: 0.2,
    limb: 0.28,
    scaleHeight: 0.012,
    holeDepth: 0.2,
    glow: 2.2,
    loops: 0.35,
    feet: 0.9,
    filament: 1.1,
    prominence: 2.4,
    flare: 30,
    brightPoints: 0.6,
  },
  xray: {
    ...CORONA,
    quietGrey: 24,
    gamma: 0.42,
    clouds: 0.7,
    threads: 0.1,
    network: 0,
    mottles: 0.06,
    limb: 0.9,
    scaleHeight: 0.08,
    holeDepth: 0.93,
    glow: 45,
    loops: 8,
    feet: 0,
    loopBlurDeg: 0.5,
    filament: 0.2,
    prominence: 0,
    flare: 900,
    brightPoints: 6,
  },
  hardXray: {
    ...CORONA,
    quietGrey: 2,
    gamma: 0.6,
    clouds: 0.1,
    threads: 0,
    network: 0,
    mottles: 0.5,
    limb: 0,
    scaleHeight: 0.02,
    glow: 2,
    loops: 0,
    filament: 0,
    prominence: 0,
    flare: 30_000,
    brightPoints: 0,
  },
  continuum: PHOTOSPHERE,
  uv1600: {
    ...PHOTOSPHERE,
    centreGrey: 92,
    darkening: [0.25, 0.1],
    granulation: 0.05,
    network: 0.17,
    spots: 0.7,
    plage: 1.1,
    faculae: 0.2,
    flare: 2,
  },
  uv1700: {
    ...PHOTOSPHERE,
    centreGrey: 118,
    darkening: [0.45, 0.15],
    granulation: 0.05,
    network: 0.1,
    spots: 0.8,
    plage: 0.6,
    faculae: 0.2,
    flare: 0.8,
  },
  lyman: {
    ...PHOTOSPHERE,
    centreGrey: 84,
    darkening: [-0.1, 0],
    granulation: 0.1,
    network: 0.3,
    spots: 0.1,
    plage: 1.6,
    faculae: 0,
    filament: 0.7,
    flare: 2,
  },
  uv2796: {
    ...PHOTOSPHERE,
    centreGrey: 100,
    darkening: [0.2, 0.05],
    granulation: 0.08,
    network: 0.22,
    spots: 0.5,
    plage: 1,
    faculae: 0.1,
    filament: 0.3,
    flare: 1.2,
  },
  farUv: {
    ...PHOTOSPHERE,
    centreGrey: 62,
    darkening: [0.05, 0],
    granulation: 0.08,
    network: 0.22,
    spots: 0.4,
    plage: 0.7,
    faculae: 0.1,
    filament: 0.2,
    flare: 2,
  },
  hAlpha: {
    ...PHOTOSPHERE,
    centreGrey: 150,
    darkening: [0.45, 0.15],
    granulation: 0.06,
    network: 0.06,
    spots: 0.6,
    plage: 0.4,
    faculae: 0,
    filament: 0.75,
    flare: 1,
  },
  magnetogram: { kind: 'magnetogram', greyPerGauss: 0.22, noise: 3 },
  lascoC2: CORONAGRAPH,
  lascoC3: {
    ...CORONAGRAPH,
    occulter: 4.2,
    outer: 31,
    background: 78,
    streamers: 46,
    fall: 0.62,
    noise: 6,
    stars: 1,
    cme: 60,
    pylon: true,
  },
  cor1: { ...CORONAGRAPH, occulter: 1.35, outer: 4.5, background: 45, streamers: 90, fall: 1.6, noise: 7, stars: 0 },
  cor2: { ...CORONAGRAPH, occulter: 2.4, outer: 15.7, background: 72, streamers: 58, fall: 0.7, noise: 4, stars: 1 },
  kCor: { ...CORONAGRAPH, occulter: 1.06, outer: 2.95, background: 18, streamers: 150, fall: 3.2, noise: 5, stars: 0, cme: 60 },
  punch: { ...CORONAGRAPH, occulter: 5.6, outer: 170, background: 40, streamers: 80, fall: 0.35, noise: 3, stars: 1, cme: 60 },
} satisfies Record<string, Look>;

export type LookName = keyof typeof LOOKS;
