// The colour tables of the sources: red, green and blue. Knots are fitted to the public tables within 2 counts.
import { type Channel, type Formula, identity, ramp, root, rounded, squared } from './channels.ts';

type TableDefinition = readonly [Channel, Channel, Channel];

// IDL's red temperature table, and tables that combine its channels.
const heatRed = ramp(0, 176);
const heatGreen = ramp(120, 135);
const heatBlue = ramp(190, 65);
const redTemperature: TableDefinition = [heatRed, heatGreen, heatBlue];
const gold: TableDefinition = [heatRed, identity, heatBlue];
const teal: TableDefinition = [heatGreen, heatRed, heatRed];
const gray: TableDefinition = [identity, identity, identity];

// The square-root, linear and square channels of the public AIA tables.
const aiaRoot = '0,0 6,41 29,86 75,138 150,195 255,255';
const aiaLine = '0,0 4,8 19,18 255,255';
const aiaSquare = '0,0 19,0 72,18 138,72 201,156 255,254';
const aia94: TableDefinition = [
  '0,0 19,0 77,20 143,78 204,161 255,254',
  '0,0 6,25 31,60 184,187 255,255',
  '0,0 4,7 20,19 255,255',
];
const aia193: TableDefinition = [aiaRoot, aiaLine, aiaSquare];
const aia335: TableDefinition = [aiaSquare, aiaLine, aiaRoot];
const aia1600 = '0,0 6,28 36,64 197,199 255,255';
const aia1700 = '0,0 5,9 19,18 255,255';

const blueWhite: TableDefinition = ['0,0 192,0 255,255', '0,0 95,0 255,255', '0,0 187,253 255,255'];
const sxt: TableDefinition = ['0,0 133,254 255,255', '0,0 25,19 90,102 184,253 255,255', '0,0 134,0 181,237 185,255 255,255'];

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

export const TABLES: Readonly<Record<string, TableDefinition>> = {
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

  SDO_AIA_94: aia94,
  SDO_AIA_131: teal,
  SDO_AIA_171: gold,
  SDO_AIA_193: aia193,
  SDO_AIA_211: ['0,0 6,42 28,85 78,141 155,198 255,255', aiaLine, '0,0 6,27 34,63 161,167 255,255'],
  SDO_AIA_304: redTemperature,
  SDO_AIA_335: aia335,
  SDO_AIA_1600: [aia1600, aia1600, '0,0 19,0 72,18 136,70 200,154 255,253'],
  SDO_AIA_1700: ['0,0 6,41 25,81 71,134 144,191 255,255', aia1700, aia1700],
  SDO_AIA_4500: [identity, identity, aia4500Blue],

  STEREO_EUVI_171: blueWhite,
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

  Blue_White_Linear: blueWhite,
  Red_Temperature: redTemperature,
  'Green-White_Linear': ['0,0 96,0 255,255', '0,0 255,255', '0,0 181,0 255,255'],
  kcor_colortable: [kcor, kcor, kcor],
  PUNCH: ['0,0 7,14 45,57 122,155 174,201 255,255', '0,0 7,9 129,108 255,253', '0,0 31,14 128,27 255,253'],

  PROBA2_SWAP_174: gold,
  EUI_174: gold,
  EUI_304: redTemperature,
  EUI_1216: [heatRed, heatGreen, eui1216Blue],

  SUVI_94: aia94,
  SUVI_131: teal,
  SUVI_171: gold,
  SUVI_195: aia193,
  SUVI_284: aia335,
  SUVI_304: redTemperature,

  SJI_1330: [ramp(0, 175), ramp(100, 155), ramp(150, 105)],
  SJI_1400: [iris1400Red, squared, iris1400Blue],
  SJI_1600: [root, identity, identity],
  SJI_2796: [root, rounded(rootAndSquare), squared],
  SJI_2832: [identity, identity, squared],
  SJI_5000: [root, root, identity],

  Hinode_XRT: redTemperature,
  Yohkoh_SXT_AlMgMn: sxt,
  'Yohkoh_SXT_thin-Al': sxt,
  'Yohkoh_SXT_white-light': gray,

  TRACE_171: [traceLow, traceMiddle, traceHigh],
  TRACE_195: [traceLow, traceHigh, traceMiddle],
  TRACE_284: [traceHigh, traceHigh, traceLow],
  TRACE_1216: ['0,0 255,254', '0,0 151,217 255,253', '0,0 151,217 255,253'],
  TRACE_1550: ['0,30 149,185 255,253', '0,0 35,0 151,177 255,232', '0,0 63,0 152,178 255,232'],
  TRACE_1600: ['0,30 149,185 255,253', '0,0 51,0 152,178 255,232', '0,0 128,0 153,142 255,183'],
  TRACE_1700: ['0,0 144,160 255,253', '0,0 50,0 152,168 255,224', '0,0 128,0 153,93 255,123'],
  'TRACE_white-light': gray,

  RHESSI: [
    '0,0 47,0 64,81 79,79 109,232 110,255 162,255 174,163 192,255 255,255',
    '0,0 113,0 123,54 145,163 176,163 191,255 255,255',
    '0,0 49,255 96,0 128,0 145,82 159,0 176,0 255,255',
  ],
};
