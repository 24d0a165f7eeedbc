// The movies that this browser has requested, kept in its storage.
import { signal } from '@preact/signals';

export interface MyMovie {
  readonly id: string;
  readonly name: string;
  /** Time of the view. */
  readonly atMs: number;
  /** Differences from the request. */
  readonly message?: string;
}

const KEY = 'helioedge.movies';
const MOST = 20;

function stored(): MyMovie[] {
  try {
    const list = JSON.parse(localStorage.getItem(KEY) ?? '[]') as MyMovie[];
    return Array.isArray(list) ? list.filter(({ id }) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export const myMovies = signal<readonly MyMovie[]>(stored());

function keep(movies: readonly MyMovie[]): void {
  myMovies.value = movies;
  try {
    localStorage.setItem(KEY, JSON.stringify(movies));
  } catch {
    // Browsers refuse storage in private windows; the list then lasts as long as the page.
  }
}

export function remember(movie: MyMovie): void {
  keep([movie, ...myMovies.value.filter(({ id }) => id !== movie.id)].slice(0, MOST));
}

export function forget(id: string): void {
  keep(myMovies.value.filter((movie) => movie.id !== id));
}
