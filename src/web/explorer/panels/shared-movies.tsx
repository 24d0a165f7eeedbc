// Movies that others have shared.
import { requestJson } from '../api/request.ts';
import { Failure } from '../shell/failure.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { texts } from '../texts.ts';

interface SharedMovie {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

async function sharedMovies(signal: AbortSignal): Promise<readonly SharedMovie[]> {
  const { body } = await requestJson<readonly SharedMovie[]>('/v2/getUserVideos/?num=6', { signal });
  return Array.isArray(body) ? body : [];
}

export function SharedMovies() {
  const { last, failure, retry } = useLoaded('shared', sharedMovies);
  const movies = last?.value ?? [];
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
