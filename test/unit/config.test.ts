import { expect, test } from 'vitest';
import { readServiceSettings } from '../../src/config/settings/service.ts';

const DEFAULTS = { jpipRoot: null, adminToken: null, farImageSeconds: 86_400, jpxStyle: 'standard' };

test('nothing has to be set', () => {
  expect(readServiceSettings({})).toEqual(DEFAULTS);
  expect(readServiceSettings({ JPIP_ROOT: ' ', ADMIN_TOKEN: '', DB: {} })).toEqual(DEFAULTS);
});

test('the JPIP root loses the slash at its end', () => {
  expect(readServiceSettings({ JPIP_ROOT: 'jpips://jpip.example:8090/images/' }).jpipRoot).toBe(
    'jpips://jpip.example:8090/images',
  );
});

test.each(['http://host', 'jpip://', 'jpip://host:port', 'host:8090', 'jpip://host/<x>'])('%s is no JPIP root', (root) => {
  expect(() => readServiceSettings({ JPIP_ROOT: root })).toThrow(`for JPIP_ROOT, got ${root}.`);
});

test('a short secret is refused without being shown', () => {
  expect(() => readServiceSettings({ ADMIN_TOKEN: 'hunter2' })).toThrow(
    'Expected at least 16 characters for ADMIN_TOKEN, got 7.',
  );
  expect(readServiceSettings({ ADMIN_TOKEN: 'x'.repeat(16) }).adminToken).toBe('x'.repeat(16));
});

test('how far is far is a number of seconds', () => {
  expect(readServiceSettings({ FAR_IMAGE_SECONDS: '3600' }).farImageSeconds).toBe(3600);
  expect(() => readServiceSettings({ FAR_IMAGE_SECONDS: '1h' })).toThrow('for FAR_IMAGE_SECONDS, got 1h.');
});

test('the style of JPX files is one of two', () => {
  expect(readServiceSettings({ JPX_STYLE: '2016' }).jpxStyle).toBe('2016');
  expect(() => readServiceSettings({ JPX_STYLE: 'old' })).toThrow('Expected standard or 2016 for JPX_STYLE, got old.');
});
