// The movies that this browser has requested, kept in its storage.
import { keptList } from '../store/kept-list.ts';

export interface MyMovie {
  readonly id: string;
  readonly name: string;
  /** Time of the view. */
  readonly atMs: number;
  /** Differences from the request. */
  readonly message?: string;
}

export const myMovies = keptList<MyMovie>('helioedge.movies', 20);
