// The colour tables of the sources: red, green and blue, each as a function of the 8-bit sample: a formula, or linear interpolation
// between knots. Knots are fitted to the public tables within 2 counts.

/** Maps 0..255 to any number; the table takes its floor and clamps it. */
type Formula = (sample: number) => number;

/** A formula, or knots `sample,value` separated by spaces, from sample 0 to 255. */
export type Channel = Formula | string;

const clamp = (value: number) => Math.min(255, Math.max(0, value));

/** From 0 at `start` to 255 at `start + width`. */
const ramp =
  (start: number, width: number): Formula =>
  (i) =>
    clamp(((i - start) * 255) / width);

const identity: Formula = (i) => i;
const squared: Formula = (i) => (i * i) / 255;
const root: Formula = (i) => Math.sqrt(255 * i);

/** `formula` rounded to the nearest integer instead of down. */
const rounded =
  (formula: Formula): Formula =>
  (i) =>
    formula(i) + 0.5;

function between(knots: string): Formula {
  const points = knots.split(' ').map((knot) => knot.split(',').map(Number) as [number, number]);
  return rounded((i) => {
    const after = points.findIndex(([sample], at) => at > 0 && sample >= i);
    const [x0, y0] = points[after - 1]!;
    const [x1, y1] = points[after]!;
    return y0 + ((y1 - y0) * (i - x0)) / (x1 - x0);
  });
}

export function channelValues(channel: Channel): Uint8Array {
  const formula = typeof channel === 'string' ? between(channel) : channel;
  return Uint8Array.from({ length: 256 }, (_, i) => Math.floor(clamp(formula(i))));
}

type Channels = readonly [red: Channel, green: Channel, blue: Channel];

// IDL's red temperature table, and tables that combine its channels.
const heatRed = ramp(0, 176);
const heatGreen = ramp(120, 135);
const heatBlue = ramp(190, 65);

// The square-root, linear and square channels of the public AIA tables.
const aiaRoot = '0,0 6,41 29,86 75,138 150,195 255,255';
const aiaLine = '0,0 4,8 19,18 255,255';
const aiaSquare = '0,0 19,0 72,18 138,72 201,156 255,254';
const aia1600 = '0,0 6,28 36,64 197,199 255,255';
const aia1700 = '0,0 5,9 19,18 255,255';

const traceLow = '0,0 51,0 152,178 255,229';
const traceMiddle = '0,0 35,0 152,178 255,229';
const traceHigh = '0,0 150,196 255,253';

/** IRIS: square root plus half the square, scaled back to 255. */
const rootAndSquare: Formula = (i) => ((Math.floor(root(i)) + Math.floor(squared(i)) / 2) * 255) / 382.5;
const iris1400Red: Formula = (i) => (1 + Math.floor(root(i)) + Math.floor(rootAndSquare(i))) / 2;
const iris1400Blue: Formula = (i) => Math.max(i - 50, 0) ** 2 / 165;
const eui1216Blue: Formula = (i) => (Math.floor(heatRed(i)) * i) / 255;
const aia4500Blue: Formula = (i) => heatBlue(i) / 2;
const kcor = rounded((i) => 255 * (i / 255) ** 0.6);

/**
 * Channels by the names of the tables that share them, separated by blanks. Datasources state such a name as their `colourTable`. To change
 * the colours of one name alone, take it out of its list and add an entry for it.
 */
const DEFINITIONS: Readonly<Record<string, Channels>> = {
  'SDO_AIA_94 SUVI_94': ['0,0 19,0 77,20 143,78 204,161 255,254', '0,0 6,25 31,60 184,187 255,255', '0,0 4,7 20,19 255,255'],
  'SDO_AIA_131 SUVI_131': [heatGreen, heatRed, heatRed],
  'SDO_AIA_171 PROBA2_SWAP_174 EUI_174 SUVI_171': [heatRed, identity, heatBlue],
  'SDO_AIA_193 SUVI_195': [aiaRoot, aiaLine, aiaSquare],
  'SDO_AIA_304 Red_Temperature EUI_304 SUVI_304 Hinode_XRT': [heatRed, heatGreen, heatBlue],
  'SDO_AIA_335 SUVI_284': [aiaSquare, aiaLine, aiaRoot],
  'STEREO_EUVI_171 Blue_White_Linear': ['0,0 192,0 255,255', '0,0 95,0 255,255', '0,0 187,253 255,255'],
  'Yohkoh_SXT_AlMgMn Yohkoh_SXT_thin-Al': [
    '0,0 133,254 255,255',
    '0,0 25,19 90,102 184,253 255,255',
    '0,0 134,0 181,237 185,255 255,255',
  ],
  'Yohkoh_SXT_white-light TRACE_white-light': [identity, identity, identity],
  SOHO_EIT_171: [
    '0,0 205,0 208,21 211,29 218,70 221,77 223,94 229,122 230,132 238,164 239,179 243,191 249,227 251,231 255,255',
    '0,0 129,2 255,255',
    '0,0 51,0 201,253 255,255',
  ],
  SOHO_EIT_195: [
    '0,0 129,0 255,254',
    '0,0 51,0 255,255',
    '0,0 196,0 199,16 203,27 208,55 211,62 218,96 221,103 223,117 229,141 230,150 237,173 239,189 242,196 249,230 251,234 255,255',
  ],
  SOHO_EIT_284: [
    '0,0 52,1 210,253 255,255',
    '0,0 52,1 199,190 255,255',
    '0,0 212,0 213,7 214,22 215,22 217,39 222,58 223,75 224,75 226,90 229,104 230,120 233,127 236,150 237,149 240,180 242,180 245,202 246,202 247,217 249,232 251,232 254,255 255,255',
  ],
  SOHO_EIT_304: [
    '0,0 52,1 191,253 255,255',
    '0,0 149,1 152,11 220,171 231,198 255,254',
    '0,0 204,2 208,27 210,31 219,78 221,82 223,98 229,125 230,135 238,167 239,180 243,192 250,232 251,231 255,255',
  ],
  SDO_AIA_211: ['0,0 6,42 28,85 78,141 155,198 255,255', aiaLine, '0,0 6,27 34,63 161,167 255,255'],
  SDO_AIA_1600: [aia1600, aia1600, '0,0 19,0 72,18 136,70 200,154 255,253'],
  SDO_AIA_1700: ['0,0 6,41 25,81 71,134 144,191 255,255', aia1700, aia1700],
  SDO_AIA_4500: [identity, identity, aia4500Blue],
  STEREO_EUVI_195: [
    '0,0 122,0 132,19 186,135 211,187 242,255 255,255',
    '0,0 48,0 241,253 255,255',
    '0,0 186,0 189,16 192,24 207,96 210,103 212,117 218,141 219,151 226,179 227,189 229,192 242,253 255,255',
  ],
  STEREO_EUVI_284: [
    '0,0 47,0 194,254 255,255',
    '0,0 48,1 190,199 233,253 255,255',
    '0,0 195,0 196,7 197,22 198,22 201,45 204,59 205,75 206,75 209,97 210,97 213,128 214,127 217,150 218,149 221,180 223,178 225,200 226,202 227,217 229,232 231,232 234,255 255,255',
  ],
  STEREO_EUVI_304: [
    '0,0 58,0 182,255 255,255',
    '0,0 144,1 146,9 203,162 210,182 224,220 226,222 237,254 255,255',
    '0,0 191,0 193,8 206,80 207,84 214,125 215,137 217,139 222,170 223,180 226,187 231,224 234,231 235,243 237,255 255,255',
  ],
  'Green-White_Linear': ['0,0 96,0 255,255', '0,0 255,255', '0,0 181,0 255,255'],
  kcor_colortable: [kcor, kcor, kcor],
  PUNCH: ['0,0 7,14 45,57 122,155 174,201 255,255', '0,0 7,9 129,108 255,253', '0,0 31,14 128,27 255,253'],
  EUI_1216: [heatRed, heatGreen, eui1216Blue],
  SJI_1330: [ramp(0, 175), ramp(100, 155), ramp(150, 105)],
  SJI_1400: [iris1400Red, squared, iris1400Blue],
  SJI_1600: [root, identity, identity],
  SJI_2796: [root, rounded(rootAndSquare), squared],
  SJI_2832: [identity, identity, squared],
  SJI_5000: [root, root, identity],
  TRACE_171: [traceLow, traceMiddle, traceHigh],
  TRACE_195: [traceLow, traceHigh, traceMiddle],
  TRACE_284: [traceHigh, traceHigh, traceLow],
  TRACE_1216: ['0,0 255,254', '0,0 151,217 255,253', '0,0 151,217 255,253'],
  TRACE_1550: ['0,30 149,185 255,253', '0,0 35,0 151,177 255,232', '0,0 63,0 152,178 255,232'],
  TRACE_1600: ['0,30 149,185 255,253', '0,0 51,0 152,178 255,232', '0,0 128,0 153,142 255,183'],
  TRACE_1700: ['0,0 144,160 255,253', '0,0 50,0 152,168 255,224', '0,0 128,0 153,93 255,123'],
  RHESSI: [
    '0,0 47,0 64,81 79,79 109,232 110,255 162,255 174,163 192,255 255,255',
    '0,0 113,0 123,54 145,163 176,163 191,255 255,255',
    '0,0 49,255 96,0 128,0 145,82 159,0 176,0 255,255',
  ],
};

/** Channels by the name of the table. */
export const TABLES: Readonly<Record<string, Channels>> = Object.fromEntries(
  Object.entries(DEFINITIONS).flatMap(([names, channels]) => names.split(' ').map((name) => [name, channels])),
);
