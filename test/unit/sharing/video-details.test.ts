import { expect, it } from 'vitest';
import { countedCharacters, videoDetails } from '../../../src/sharing/videos/share.ts';
import { secretBox } from '../../../src/sharing/videos/sharing-access.ts';

const entered = { title: 'Sun', description: '', tags: '', share: false };

it('video details trims and counts video details as the host does', () => {
  const given = { title: ' A day\u00a0of the Sun ', description: 'One.\r\nTwo.\n', tags: ' sun,, solar wind ,sun,', share: true };
  expect(videoDetails(given)).toEqual({
    title: 'A day\u00a0of the Sun',
    description: 'One.\r\nTwo.',
    tags: ['sun', 'solar wind'],
    isShared: true,
  });
  expect(countedCharacters(['sun', 'solar wind'])).toBe(3 + 1 + 12);
  expect(countedCharacters([])).toBe(0);
});

it('video details accepts video details up to the length limits of the host', () => {
  const tags = [...Array.from({ length: 16 }, (_, i) => `${i}`.padEnd(30, 'x')), 'abc'].join();
  expect(countedCharacters(videoDetails({ ...entered, title: 'a'.repeat(100), description: 'ä'.repeat(2500), tags }).tags)).toBe(
    499,
  );
  expect(() => videoDetails({ ...entered, tags: `${tags}de` })).toThrow('Expected at most 500 characters for tags, got 501.');
  expect(() => videoDetails({ ...entered, title: '😀'.repeat(51) })).toThrow(/for title/);
  expect(() => videoDetails({ ...entered, description: `${'ä'.repeat(2500)}.` })).toThrow(/for description/);
});

it.each([
  ['title', 'a <b>'],
  ['title', 'two\nlines'],
  ['title', ' '],
  ['title', '\ud800'],
  ['description', 'a > b'],
  ['description', '\u0007'],
  ['tags', 'sun,<i>'],
])('video details refuses video details with the %s %j', (name, value) => {
  expect(() => videoDetails({ ...entered, [name]: value })).toThrow(new RegExp(`^Expected .+ for ${name}`));
});

const box = secretBox('k'.repeat(32));

it('a sealed secret opens only in its own context and with its own key, and differs each time', async () => {
  const [sealed, again] = [await box.seal('token', 'session 1'), await box.seal('token', 'session 1')];
  expect(await box.open(sealed, 'session 1')).toBe('token');
  expect(sealed).not.toBe(again);
  expect(await box.open(sealed, 'session 2')).toBeNull();
  expect(await secretBox('q'.repeat(32)).open(sealed, 'session 1')).toBeNull();
});

it('a sealed secret stays closed when any character was changed', async () => {
  const sealed = await box.seal('token', 'here');
  for (let i = 0; i < sealed.length; i += 1) {
    const other = sealed[i] === 'A' ? 'Q' : 'A';
    expect(await box.open(sealed.slice(0, i) + other + sealed.slice(i + 1), 'here')).toBeNull();
  }
  for (const text of ['', 'A', '!!', sealed.slice(0, 20)]) expect(await box.open(text, 'here')).toBeNull();
});
