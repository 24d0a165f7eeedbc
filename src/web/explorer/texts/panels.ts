// The texts of presets, of the data of a view and of enhancements, which load with their panels.
import type { ImageRecord } from '../api/image-record.ts';
import { texts } from '../texts.ts';
import { fill } from './catalogue.ts';
import { more } from './more.ts';
import { utc } from './times.ts';

const { presets, data, enhance } = more.panels;

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
