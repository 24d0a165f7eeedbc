// Movies that others have shared.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { requestJson } from '../api/request.ts';
import { texts } from '../texts.ts';

interface SharedMovie {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

export function SharedMovies() {
  const movies = useSignal<readonly SharedMovie[] | null>(null);
  useEffect(() => {
    requestJson<readonly SharedMovie[]>('/v2/getUserVideos/?num=6').then(
      ({ body }) => {
        movies.value = Array.isArray(body) ? body : [];
      },
      () => {
        movies.value = [];
      },
    );
  }, [movies]);
  if (!movies.value?.length) return null;
  return (
    <section aria-labelledby="shared">
      <h3 id="shared">{texts.make.shared}</h3>
      <ul class="list">
        {movies.value.map(({ id, title, url }) => (
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
