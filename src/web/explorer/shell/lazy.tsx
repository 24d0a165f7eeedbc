// Components whose module loads when they are first shown.
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { RequestError } from '../api/request.ts';
import { texts } from '../texts.ts';
import { Failure } from './failure.tsx';
import { useLoaded } from './loaded.ts';

interface LazyProps {
  /** Distinguishes the modules that one place shows. */
  readonly name: string;
  readonly load: () => Promise<ComponentType>;
  /** Whether the place stays empty while the module loads. */
  readonly isSilent?: boolean;
}

const known = new Map<string, ComponentType>();

export function Lazy({ name, load, isSilent = false }: LazyProps) {
  const [first] = useState(() => known.get(name));
  const { last, failure, retry } = useLoaded(first ? '' : name, async () => {
    const component = await load().catch(() => {
      throw new RequestError(texts.failures.offline);
    });
    known.set(name, component);
    return { component };
  });
  const Content = first ?? last?.value.component;
  if (Content) return <Content />;
  if (failure) return <Failure sentences={[texts.failures.part, failure]} retry={retry} />;
  return isSilent ? null : <p class="quiet">{texts.loadingPart}</p>;
}
