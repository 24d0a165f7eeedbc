import { expect, it, vi } from 'vitest';
import { isMovieId, newMovieId } from '../../../src/movies/movie.ts';

it('the id of a movie consists of eight equally likely characters without vowels', () => {
  const ids = Array.from({ length: 5000 }, () => newMovieId());
  expect(ids.filter((id) => !isMovieId(id))).toEqual([]);
  expect(ids.filter((id) => /[aeiou]/i.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const counts = Map.groupBy(ids.join(''), (character) => character);
  expect(counts.size).toBe(52);
  const mean = (8 * ids.length) / 52;
  for (const [character, all] of counts) {
    expect(Math.abs(all.length - mean), character).toBeLessThan(0.25 * mean);
  }
});

it('the id of a movie rejects bytes that would bias the characters, and matches the id of a movie exactly', () => {
  const turns = [Uint8Array.of(255, 208, 0, 51, 52, 207, 255, 255), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)];
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => turns.shift()! as never);
  expect(newMovieId()).toBe('0z0z1234');
  random.mockRestore();
  expect(isMovieId('VXvX5bcd')).toBe(true);
  for (const text of ['', 'VXvX5', 'VXvX5bcde', 'VXvX5bca', ' VXvX5bc', 'VXvX5bc\n', 'VXvX5bcd\n', '../../..', 'VXvX5bc%']) {
    expect([text, isMovieId(text)]).toEqual([text, false]);
  }
});
