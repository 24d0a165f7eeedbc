// Empty optional parameters, generated from the definitions of the operations, in all forms of a request.
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/faces/operations.ts';
import { requestableArchive, WITHOUT_HOST } from '../../support/good-requests.ts';

type Values = Readonly<Record<string, string | null>>;

const { get, good } = await requestableArchive();

const text = (values: Values) => new URLSearchParams(Object.entries(values).map(([name, value]) => [name, value ?? '']));

const posted = (type: string, body: string) => ({ method: 'POST', headers: { 'Content-Type': type }, body });
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** The forms of a request: URL and, for POST, body. */
const FORMS: Readonly<Record<string, (path: string, name: string, values: Values) => [string, RequestInit?]>> = {
  query: (path, _name, values) => [`${path}?${text(values)}`],
  form: (path, _name, values) => [path, posted(FORM, String(text(values)))],
  'JSON body': (path, _name, values) => [path, posted(JSON_TYPE, JSON.stringify(values))],
  'action query': (_path, name, values) => [`//?action=${name}&${text(values)}`],
  'action form': (_path, name, values) => ['/', posted(FORM, String(text({ action: name, ...values })))],
  'action with JSON': (_path, name, values) => [`//?action=${name}`, posted(JSON_TYPE, JSON.stringify(values))],
};

/** Members of a body that differ between equal requests. */
const VOLATILE = /"(?:id|token|eta|queue|requestId|new_hash|seed)":(?:"[^"]*"|\d+)/g;

async function answer([url, init]: [string, RequestInit?]) {
  const response = await get(url, init);
  const type = response.headers.get('Content-Type');
  const body = type?.startsWith('application/json') ? await response.text() : String(await response.bytes());
  return { status: response.status, type, body: body.replace(VOLATILE, '') };
}

/** Operations that are requested in every form: with lists, objects, a file, a change, and none of them. */
const IN_EVERY_FORM = ['getClosestImage', 'getJP2Image', 'takeScreenshot', 'queueMovie', 'postMovie', 'getDataSources'];
/** v1 differs in its parameters only, and the forms of a request are read by one parser, so one or two suffice for most. */
const otherForms = (name: string, version: string) => {
  if (version === 'v1') return [];
  return IN_EVERY_FORM.includes(name) ? Object.keys(FORMS).filter((form) => form !== 'query') : ['JSON body'];
};

const cases = [...operations.values()].flatMap(({ name, shapes }) =>
  Object.entries(shapes).flatMap(([version, shape]) => {
    const optional = Object.keys(shape).filter((parameter) => shape[parameter]!.isOptional());
    const isOwn = version === 'v2' || Object.keys(shape).some((parameter) => shape[parameter] !== shapes.v2?.[parameter]);
    return optional.length > 0 && isOwn ? [{ name, version, optional }] : [];
  }),
);

it('most operations have optional parameters', () => {
  expect(cases.length).toBeGreaterThan(30);
});

describe.each(cases)('$version/$name', ({ name, version, optional }) => {
  const path = `/${version}/${name}/`;
  const required = Object.fromEntries(Object.entries(good[name]!).filter(([parameter]) => !optional.includes(parameter)));
  /** The request with one optional parameter replaced. */
  const withValue = (parameter: string, value: string | null | undefined): Values => {
    const { [parameter]: _given, ...rest } = { ...required, ...good[name] };
    return value === undefined ? rest : { ...rest, [parameter]: value };
  };

  it('takes an empty optional parameter as an absent one', async () => {
    // Most parameters are in no example, so that their absence is one request.
    const answers = new Map<string, ReturnType<typeof answer>>();
    for (const parameter of optional) {
      const [url, absent] = ['', undefined].map((value) => `${path}?${text(withValue(parameter, value))}`) as [string, string];
      const given = await answer([url]);
      if (!answers.has(absent)) answers.set(absent, answer([absent]));
      expect(given, parameter).toEqual(await answers.get(absent));
    }
  });

  const allAs = (value: string | null): Values => ({
    ...required,
    ...Object.fromEntries(optional.map((parameter) => [parameter, value])),
  });

  it('takes all optional parameters empty as none', async () => {
    const empty = await answer([`${path}?${text(allAs(''))}`]);
    expect(empty).toEqual(await answer([`${path}?${text(required)}`]));
    if (!WITHOUT_HOST.includes(name)) expect(empty.body).not.toContain('an empty value');
  });

  it.each(otherForms(name, version))('takes all optional parameters empty as none: %s', async (form) => {
    const absent = await answer(FORMS[form]!(path, name, required));
    expect(await answer(FORMS[form]!(path, name, allAs('')))).toEqual(absent);
    if (form.includes('JSON')) expect(await answer(FORMS[form]!(path, name, allAs(null)))).toEqual(absent);
  });
});
