// "Expected <what> for <name>, got <value>." is the form of sentences about a parameter, and of no others.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const files = ['src', 'containers', 'clients', 'demo'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const COMMENT_LINES = /^\s*(?:\/\/|\/?\*).*$/gm;
const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8').replace(COMMENT_LINES, '') }));

const BEGINNING = /["'`]Expected (?!<)/g;
const PLACEHOLDER = /\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g;
const LITERAL = new RegExp(`(["'\`])(Expected (?!<)(?:\\\\.|${PLACEHOLDER.source}|(?!\\1)[^\\\\\\n])*)\\1`, 'g');
/** The value comes from the request, or is one word; a suggestion or another sentence may follow. */
const FORM = /^Expected \S.* for \S.*, got (?:[^.]*…[^.]*|\S+)\.(?:…| [A-Z].*)?$/;
/** Words that say nothing about the value. */
const VAGUE = /, got (?:no|more|less|fewer|others?|another|both|none|something|a different)\b(?! …)/;
/** A literal of several words in place of the value. */
const LITERAL_VALUE = /\b(?:badParameter|badMember|expected)\([^;]*, '(?:\S+ [^']*|more|less|none|both|others?)'\)/g;

const sentencesOf = (text: string) => [...text.matchAll(LITERAL)].map((match) => match[2]!.replace(PLACEHOLDER, '…'));

it('an error sentence that begins with Expected takes the form of a sentence about a parameter, with its name and value', () => {
  const wrong = texts.flatMap(({ file, text }) =>
    sentencesOf(text)
      .filter((sentence) => !FORM.test(sentence) || VAGUE.test(sentence))
      .map((sentence) => `${file}: ${sentence}`),
  );
  expect(wrong).toEqual([]);
});

it('an error sentence that begins with Expected contains the value that was sent, not a word in its place', () => {
  const wrong = texts.flatMap(({ file, text }) => [...text.matchAll(LITERAL_VALUE)].map(([call]) => `${file}: ${call}`));
  expect(wrong).toEqual([]);
});

it('an error sentence that begins with Expected stands in one literal, so that this test reads the whole of it', () => {
  const counts = texts.map(({ file, text }) => ({
    file,
    count: [...text.matchAll(BEGINNING)].length,
    read: sentencesOf(text).length,
  }));
  expect(counts.filter(({ count, read }) => count !== read)).toEqual([]);
  expect(counts.reduce((sum, { read }) => sum + read, 0)).toBeGreaterThan(50);
});
