// The texts of measurements, which load with their panel.
import { MEASURING } from '../../../config/limits/rendering.ts';
import { fill } from './catalogue.ts';
import { more } from './more.ts';

const all = more.measuring;

export const measuring = {
  ...all,
  value: (value: string, interval: string, status: 'exact' | 'approximate') =>
    fill(all.value, { value, interval, status: all.statuses[status] }),
  interval: (lower: string, upper: string) => fill(all.interval, { lower, upper }),
  censored: (side: 'below' | 'above', value: string) => fill(all.censored[side], { value }),
  /** @param percent As text */
  censoredShare: (percent: string) => fill(all.censoredShare, { percent }),
  /** @param levels By which the byte may be off; 0 for a lossless file */
  byte: (byte: number, levels: number) => fill(levels === 0 ? all.losslessByte : all.byte, { byte, levels }),
  /** @param reason The word of the service */
  refusal: (reason = '') => (all.refusals as Readonly<Record<string, string>>)[reason] ?? all.noLaw,
  waits: (seconds: number) => fill(all.waits, { seconds }),
  reason: (reason: string, count: number) => `${count} × ${(all.reasons as Readonly<Record<string, string>>)[reason]}`,
  badVertices: (kind: keyof typeof MEASURING.vertices) => fill(all.badVertices[kind], MEASURING.vertices[kind]),
  imagesOf: (done: number, total: number) => fill(all.imagesOf, { done, total }),
  every: (interval: string) => fill(all.every, { interval }),
  law: (law: string, status: 'exact' | 'approximate') => fill(all.law, { law, status: all.statuses[status] }),
  timeAxis: (day: string) => fill(all.timeAxis, { day }),
  place: (time: string, distance: string, value: string) => fill(all.place, { time, distance, value }),
};
