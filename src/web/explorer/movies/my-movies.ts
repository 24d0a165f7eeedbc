// The movies that this browser has requested, kept in its storage.
import { keptList } from '../store/kept-list.ts';

export interface MyMovie {
  readonly id: string;
  readonly name: string;
  readonly atMs: number;
  readonly message?: string;
}

export const myMovies = keptList<MyMovie>('helioedge.movies', 20);
