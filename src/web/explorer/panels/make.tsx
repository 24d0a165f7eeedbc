// Make: a picture of the view or of a part of it, the played range as a movie, a movie of the service, and the movies of this browser and of others.
import '../core.ts';
import type { Schemas } from '../../../../clients/typescript/operations.ts';
import { call } from '../api/request.ts';
import { Movies } from '../movies/movies.tsx';
import { Button, Check, setTo, setter } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { SaveMovie } from '../saving/save-movie.tsx';
import { dialog } from '../store/state.ts';
import { hasCredit } from '../store/tools.ts';
import { saving } from '../texts/more.ts';
import { texts } from '../texts.ts';
import { AreaChoice } from './area.tsx';

function SharedMovies() {
  const { last, failure, retry } = useLoaded('shared', (signal) => call('getUserVideos', { num: 6 }, signal));
  const movies: readonly Schemas['UserVideo'][] = Array.isArray(last?.value) ? last.value : [];
  if (movies.length === 0 && !failure) return null;
  return (
    <section aria-labelledby="shared">
      <h3 id="shared">{texts.make.shared}</h3>
      {failure && <Failure sentences={[texts.failures.sharedMovies, failure]} retry={retry} />}
      <ul class="list">
        {movies.map(({ id, title, url }) => (
          <li key={id}>
            <a href={/^https?:/.test(url) ? url : '#'} rel="noreferrer noopener" target="_blank">
              {title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Make() {
  return (
    <>
      <AreaChoice />
      <p>
        <Button label={texts.make.picture} act={setTo(dialog, 'picture')} class="primary" id="save-picture" />
      </p>
      <Check label={saving.picture.credit} isOn={hasCredit.value} set={setter(hasCredit)} />
      <SaveMovie />
      <Movies />
      <SharedMovies />
    </>
  );
}
