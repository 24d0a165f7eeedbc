// Make: a screenshot of the view or of a part of it, a movie, and the movies of this browser and of others.
import '../core.ts';
import { AreaChoice } from './area.tsx';
import { Movies } from './movies.tsx';
import { Screenshot } from './screenshot.tsx';
import { SharedMovies } from './shared-movies.tsx';

export function Make() {
  return (
    <>
      <AreaChoice />
      <Screenshot />
      <Movies />
      <SharedMovies />
    </>
  );
}
