// Failures: what happened, what is still shown, and a button to try again.
import { texts } from '../texts.ts';

interface FailureProps {
  /** Sentences about what failed and why; empty ones are left out. */
  readonly sentences: readonly (string | null | undefined | false)[];
  readonly retry: () => void;
}

export function Failure({ sentences, retry }: FailureProps) {
  return (
    <div class="failure" role="alert">
      <p>{sentences.filter(Boolean).join(' ')}</p>
      <button type="button" onClick={retry}>
        {texts.retry}
      </button>
    </div>
  );
}
