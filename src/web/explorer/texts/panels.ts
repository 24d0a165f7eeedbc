// The texts of presets, of the data of a view and of enhancements, which load with their panels.
import type { ImageRecord } from '../api/image-record.ts';
import { texts } from '../texts.ts';
import { fill } from './catalogue.ts';
import { inLanguage } from './language.ts';
import english from './panels/en.json' with { type: 'json' };
import { utc } from './times.ts';

const { presets, data, enhance } = await inLanguage<typeof english>(english, {
  de: () => import('./panels/de.json', { with: { type: 'json' } }),
  fr: () => import('./panels/fr.json', { with: { type: 'json' } }),
  es: () => import('./panels/es.json', { with: { type: 'json' } }),
});

const program = (text: string) => (name: string) => fill(text, { program: name });

export const presetTexts = { ...presets, highlights: (day: string) => fill(presets.highlights, { day }) };

export const enhanceTexts = {
  ...enhance,
  title: (name: string) => fill(enhance.title, { name }),
  pick: (name: string) => fill(enhance.pick, { name }),
};

export const dataTexts = {
  ...data,
  samp: {
    ...data.samp,
    send: program(data.samp.send),
    sent: program(data.samp.sent),
    noHub: program(data.samp.noHub),
    noReceiver: program(data.samp.noReceiver),
  },
  header: (name: string) => fill(data.header, { name }),
  keywords: (count: number) => texts.counted(data.keywords, count),
  listed: (first: number, last: number, count: number, startMs: number, endMs: number) =>
    fill(data.listed, { first, last, count, start: utc(startMs), end: utc(endMs) }),
  listedMember: (name: string) => fill(data.listedMember, { name }),
  listedPart: (most: number) => fill(data.listedPart, { most }),
  keptList: (startMs: number, endMs: number) => fill(data.keptList, { start: utc(startMs), end: utc(endMs) }),
  facts: ({ id, width, height, scale }: Pick<ImageRecord, 'id' | 'width' | 'height' | 'scale'>) =>
    fill(data.facts, { id, width, height, scale: texts.decimal(scale.toPrecision(4)) }),
};
