// Controls of the first view, and their icons.
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

/** Strokes on a grid of 24. */
const PATHS = {
  question: 'M9 9a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 1.8M12 17.2v.1M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19',
  share: 'M8 12h8M13 7l5 5-5 5M4 5v14',
  full: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  keyboard: 'M3 7h18v10H3zM6.5 10.5h.1M10 10.5h.1M13.5 10.5h.1M17 10.5h.1M8 14h8',
  presets:
    'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M5 19l1.7-1.7M17.3 6.7 19 5',
  channels: 'M3 8h5v8H3zM9.5 8h5v8h-5zM16 8h5v8h-5z',
  layers: 'M12 3 3 8l9 5 9-5zM3 12l9 5 9-5M3 16l9 5 9-5',
  events: 'M12 21s7-6.2 7-11.5A7 7 0 0 0 5 9.5C5 14.8 12 21 12 21M12 7.2a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6',
  measure: 'M3 15 15 3l6 6L9 21zM7 11l2 2M10 8l3 3M13 5l2 2',
  make: 'M3 6h13v12H3zM16 10l5-3v10l-5-3',
  data: 'M4 5c0-3 16-3 16 0v14c0 3-16 3-16 0zM4 5c0 3 16 3 16 0M4 12c0 3 16 3 16 0',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8 3v5M16 3v5M8 14h.1M12 14h.1M16 14h.1M8 17h.1M12 17h.1',
  legend: 'M4 6h4v4H4zM11 8h9M4 14h4v4H4zM11 16h9',
  previous: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  newest: 'M6 5l7 7-7 7M18 5v14',
  play: 'M7 4l13 8-13 8z',
  pause: 'M8 5v14M16 5v14',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  fit: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16',
  turn: 'M4 5v5h5M4.5 10a8 8 0 1 1-.3 4',
  close: 'M5 5l14 14M19 5 5 19',
  up: 'M6 14l6-6 6 6',
  down: 'M6 10l6 6 6-6',
  seen: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  hidden: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12M4 4l16 16',
  remove: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
} as const;

export type IconName = keyof typeof PATHS;

const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);

export interface ButtonProps extends Omit<ButtonHTMLAttributes, 'label' | 'icon'> {
  readonly label: string;
  readonly act: (event: MouseEvent) => void;
}

/** A button with a text, and with an icon beside which narrow screens leave the text out. */
export const Button = ({ icon, label, act, ...others }: ButtonProps & { readonly icon?: IconName }) => (
  <button type="button" onClick={act} {...others}>
    {icon && <Icon name={icon} />}
    {icon ? <span class="label">{label}</span> : label}
  </button>
);

export const IconButton = ({ icon, label, act, ...others }: ButtonProps & { readonly icon: IconName }) => (
  <button type="button" class="round" aria-label={label} title={label} onClick={act} {...others}>
    <Icon name={icon} />
  </button>
);

/** A sentence that screen readers announce when it changes. */
export const Status = ({ id, children }: { readonly id?: string; readonly children: ComponentChildren }) => (
  <p class="quiet" role="status" id={id}>
    {children}
  </p>
);

interface ChoiceProps<T> {
  readonly id?: string;
  readonly label: string;
  readonly isBare?: boolean;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string, lang?: string])[];
  readonly pick: (value: T) => void;
}

export function Choice<T extends string | number>({ id, label, isBare = false, value, options, pick }: ChoiceProps<T>) {
  return (
    <label class={isBare ? 'pick' : 'field'}>
      {isBare ? <span class="unseen">{label}</span> : label}
      <select id={id} value={String(value)} onChange={(event) => pick(options[event.currentTarget.selectedIndex]![0])}>
        {options.map(([one, text, lang]) => (
          <option key={one} value={String(one)} lang={lang}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A choice of the value of a signal. */
export const SignalChoice = <T extends string | number>({
  of,
  ...others
}: Omit<ChoiceProps<T>, 'value' | 'pick'> & { readonly of: { value: T } }) => (
  <Choice value={of.value} pick={setter(of)} {...others} />
);

export const named = <T extends string | number>(
  options: readonly T[],
  texts: Readonly<Record<T, string>> | ((option: T) => string),
): (readonly [T, string])[] => options.map((one) => [one, typeof texts === 'function' ? texts(one) : texts[one]]);

export const setter =
  <T,>(signal: { value: T }) =>
  (value: T): void => {
    signal.value = value;
  };

export const setTo =
  <T,>(signal: { value: T }, value: T) =>
  (): void => {
    signal.value = value;
  };

/** A listener that acts by the values of keys, which others then do not get. A key with Shift may have a value of its own, as `Shift ArrowLeft`. */
export const onKeys =
  <T,>(keys: Readonly<Record<string, T>>, act: (value: T, event: KeyboardEvent) => void) =>
  (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    const value = event.ctrlKey || event.metaKey || event.altKey ? undefined : (shiftKey && keys[`Shift ${key}`]) || keys[key];
    if (value === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act(value, event);
  };

/** Listens to events by their names. @returns what ends it */
export function listened<E extends Event>(
  target: EventTarget,
  listeners: Readonly<Record<string, (event: E) => void>>,
  isFirst = false,
): () => void {
  const ended = new AbortController();
  for (const [name, act] of Object.entries(listeners))
    target.addEventListener(name, act as EventListener, { capture: isFirst, signal: ended.signal });
  return () => ended.abort();
}

export const toggle = (signal: { value: boolean }) => (): void => {
  signal.value = !signal.value;
};
