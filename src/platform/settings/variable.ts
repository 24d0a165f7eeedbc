import { z } from 'zod';
import { Failure, shown } from '../util/errors.ts';
import { isLoopback, withoutEndSlash } from '../util/url.ts';

/** A variable of the environment, which a group has by its name. */
export interface Variable {
  /** Type of the trimmed text, blank for unset, with a default unless required. Messages complete "Expected <message> for <name>". */
  readonly type: z.ZodType;
  readonly description: string;
  /** Unit or form of the value, where neither the type nor the description says it. */
  readonly unit?: string;
  /** Default in words, where the value itself says little. */
  readonly unset?: string;
  readonly isSecret?: true;
  /** Addresses that may hold credentials: errors leave the value out. */
  readonly isRedacted?: true;
  /** Value in the `[vars]` of wrangler.toml. */
  readonly deployed?: string;
  /** `npm start` chooses the value of its Worker itself and does not pass on that of its environment. */
  readonly isChosenByStart?: true;
  /** Passed by a program of the project, a container or a test alone; the documentation leaves it out. */
  readonly isInternal?: true;
}

export type Variables = Readonly<Record<string, Variable>>;

export type ValuesOf<Group extends Variables> = { readonly [Key in keyof Group]: z.output<Group[Key]['type']> };

/** A type whose value is null where the variable is unset. */
export const optional = <Type extends z.ZodType>(type: Type) => type.nullable().default(null);

/** What `read` makes of the text; null refuses it. */
export const readBy = <Value>(read: (text: string) => Value | null, expected: string) =>
  z.string(expected).transform((text, context) => {
    const value = read(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  });

export const optionalText = optional(z.string());

export const secret = (minCharacters: number) => optional(z.string().min(minCharacters, `at least ${minCharacters} characters`));

const within = (value: number, min: number, max: number) => (value >= min && value <= max ? value : null);

export const wholeNumber = (min: number, max: number, expected = `a number from ${min} to ${max}`) =>
  readBy((text) => (/^\d{1,15}$/.test(text) ? within(Number(text), min, max) : null), expected);

export const decimalNumber = (min: number, max: number) =>
  readBy((text) => within(Number(text), min, max), `a number from ${min} to ${max}`);

const HTTP = /^https?:$/;

export const address = (expected: string, accepts: (url: URL) => boolean) =>
  readBy((text) => {
    const url = URL.parse(text);
    return url !== null && url.username === '' && url.password === '' && url.hash === '' && accepts(url) ? url : null;
  }, expected);

/** The start of addresses, without a slash at its end. */
export const httpBase = (expected = 'an http address') =>
  address(expected, ({ protocol, search }) => HTTP.test(protocol) && search === '').transform(({ href }) =>
    withoutEndSlash(href),
  );

export const httpAddress = address('an http address without credentials', ({ protocol }) => HTTP.test(protocol));

/** http is accepted on the loopback interface only, where nothing can be intercepted. */
export const httpsAddress = address(
  'an https address without credentials',
  (url) => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)),
);

/** Items separated by commas; blank ones are dropped. */
export const list = <Item extends z.ZodType<unknown, string>>(item: Item, expected = 'a list separated by commas') =>
  z
    .string(expected)
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .pipe(z.array(item));

function parse(name: string, { type, isSecret, isRedacted }: Variable, env: object): unknown {
  const value: unknown = Reflect.get(env, name);
  const text = (typeof value === 'string' && value.trim()) || undefined;
  const { data, error } = type.safeParse(text, { reportInput: true });
  const [issue] = error?.issues ?? [];
  if (!issue) return data;
  const got = () => {
    if (text === undefined) return 'nothing';
    if (isSecret) return text.length;
    // A path leads to an item of a list.
    return isRedacted ? 'another value' : shown(issue.path.length > 0 ? issue.input : text);
  };
  throw new Failure('internal', `Expected ${issue.message} for ${name}, got ${got()}.`);
}

/** Values by the names of their variables. @throws Failure that names the variable and what it has to be, without the value of a secret */
export function readVariables<Group extends Variables>(group: Group, env: object): ValuesOf<Group> {
  const values = Object.entries(group).map(([name, variable]) => [name, parse(name, variable, env)]);
  return Object.fromEntries(values) as ValuesOf<Group>;
}
