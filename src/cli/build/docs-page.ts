// The page /docs/ as static HTML: the guides and every operation, from the document that the service serves at /v2/openapi.json.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_NAME } from '../../config/identity.ts';
import type { ApiDocument, DocumentedOperation, Schema } from '../../http/openapi/api-document.ts';
import { openApiDocument } from '../../http/openapi/document.ts';
import { operations } from '../../routes/operations.ts';
import { TAGS } from '../../routes/tags.ts';
import { escapeHtml } from '../../util/markup.ts';

/** Escaped text with `code` between backticks. */
const prose = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** A block of code, which the keyboard can scroll. */
const SCROLLED = '<pre tabindex="0">';

const nameOf = (reference: string) => reference.split('/').at(-1)!;

/** A schema in a few words, with links to named ones. */
function typeOf(schema: Schema): string {
  if (schema.$ref) return `<a href="#schema-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' or ');
  const [type = 'any', ...others] = [schema.type ?? []].flat();
  if (type === 'array' && schema.items) return `list of ${typeOf(schema.items)}`;
  if (type === 'object' && typeof schema.additionalProperties === 'object')
    return `${typeOf(schema.additionalProperties)} by name`;
  return [schema.format ?? type, ...others].join(' or ');
}

const limits = ({ minimum, maximum }: Schema) =>
  minimum === undefined || maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : `, ${minimum} to ${maximum}`;

function row(cells: readonly string[]): string {
  const [first, ...rest] = cells;
  return `<tr><th scope="row">${first}</th>${rest.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function table(caption: string, heads: readonly string[], rows: readonly string[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((cell) => `<th scope="col">${cell}</th>`).join('');
  return `<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function fieldRows({ properties = {}, required = [] }: Schema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const need = required.includes(name) ? '' : ' <span class="optional">optional</span>';
    return row([`<code>${escapeHtml(name)}</code>${need}`, typeOf(schema) + limits(schema), prose(schema.description ?? '')]);
  });
}

function parametersOf({ parameters = [], requestBody }: DocumentedOperation): {
  schema: Schema;
  example: Record<string, unknown>;
} {
  const body = requestBody?.content['application/json'];
  if (body) return { schema: body.schema, example: body.example as Record<string, unknown> };
  const given = parameters.filter(({ example }) => example !== undefined).map(({ name, example }) => [name, example]);
  return {
    schema: {
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    },
    example: Object.fromEntries(given) as Record<string, unknown>,
  };
}

/** The example as a path with its query. */
function examplePath(path: string, example: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(Object.entries(example).map(([name, value]) => [name, String(value)]))
    .toString()
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',');
  return query === '' ? path : `${path}?${query}`;
}

function responseRows(operation: DocumentedOperation, { components }: ApiDocument): string[] {
  return Object.entries(operation.responses).map(([status, given]) => {
    const { description = '', content = {}, headers = {} } = given.$ref ? components.responses[nameOf(given.$ref)]! : given;
    const bodies = Object.entries(content).map(([mediaType, { schema }]) => {
      const what = mediaType === 'application/json' ? typeOf(schema) : prose(schema.description ?? '');
      return `<code>${mediaType}</code> ${what}`;
    });
    const own = Object.keys(headers).filter((name) => !['X-Request-Id', 'X-Notice', 'ETag', 'Cache-Control'].includes(name));
    const links = own.map((name) => `<a href="#header-${name}">${name}</a>`).join(', ');
    return row([status, [prose(description), ...bodies].join('<br>'), links]);
  });
}

function responseExample({ responses }: DocumentedOperation): string {
  const example = responses['200']?.content?.['application/json']?.example;
  if (example === undefined) return '';
  return `<h4>Response</h4>${SCROLLED}<code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>`;
}

function operationSection(path: string, operation: DocumentedOperation, document: ApiDocument): string {
  const { operationId: id, summary, description, requestBody } = operation;
  const { schema, example } = parametersOf(operation);
  const method = requestBody ? 'POST' : 'GET';
  const request = requestBody ? `POST ${path}\n${JSON.stringify(example, null, 2)}` : `GET ${examplePath(path, example)}`;
  const facts = escapeHtml(JSON.stringify({ path, method, example, names: Object.keys(schema.properties ?? {}) }));
  return `<section id="${id}" class="operation">
<h3><a href="#${id}">${id}</a></h3>
<p class="summary">${prose(summary)}</p>
<p>${prose(description)}</p>
<h4>Request</h4>
${SCROLLED}<code>${escapeHtml(request)}</code></pre>
<button type="button" data-try="${facts}" aria-label="Try it: ${id}">Try it</button>
${table(`Parameters of ${id}`, ['Parameter', 'Type', 'Meaning'], fieldRows(schema))}
${table(`Responses of ${id}`, ['Status', 'Content', 'Headers'], responseRows(operation, document))}
${responseExample(operation)}
</section>`;
}

function operationsOf({ paths }: ApiDocument): { path: string; operation: DocumentedOperation }[] {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v2/'))
    .map(([path, { get, post }]) => ({ path, operation: (get ?? post)! }));
}

function schemaSections({ components: { schemas, headers } }: ApiDocument): string {
  const named = Object.entries(schemas).map(([name, schema]) => {
    const fields = table(`Fields of ${name}`, ['Field', 'Type', 'Meaning'], fieldRows(schema));
    return `<section id="schema-${name}"><h3>${name}</h3><p>${prose(schema.description ?? '')}</p>${fields || `<p>${typeOf(schema)}.</p>`}</section>`;
  });
  const rows = Object.entries(headers).map(([name, { description, example }]) =>
    row([`<span id="header-${name}">${name}</span>`, prose(description), `<code>${escapeHtml(String(example))}</code>`]),
  );
  return `<section id="headers"><h2>Headers</h2>${table('Response headers', ['Header', 'Meaning', 'Example'], rows)}</section>
<section id="schemas"><h2>Schemas</h2>${named.join('\n')}</section>`;
}

/** The page. @param guides Markup of the guides, which has no dependence on the document */
export function docsPage(document: ApiDocument, guides: string): string {
  const all = operationsOf(document);
  const groups = TAGS.map(({ name, description }) => ({
    name,
    description,
    id: `group-${name.toLowerCase().replaceAll(' ', '-')}`,
    members: all.filter(({ operation }) => operation.tags[0] === name),
  }));
  const contents = groups.map(({ name, id, members }) => {
    const links = members.map(({ operation: { operationId } }) => `<li><a href="#${operationId}">${operationId}</a></li>`);
    return `<li><a href="#${id}">${name}</a><ul>${links.join('')}</ul></li>`;
  });
  const sections = groups.map(({ name, description, id, members }) => {
    const operationsOfGroup = members.map(({ path, operation }) => operationSection(path, operation, document));
    return `<section id="${id}"><h2>${name}</h2><p>${prose(description)}</p>${operationsOfGroup.join('\n')}</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${SERVICE_NAME}: API</title>
<meta name="description" content="Images, movies and events of the Sun through the Helioviewer API: guides and every operation.">
<link rel="icon" href="/explorer/icon.svg">
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the guides</a>
<header><a href="/">${SERVICE_NAME}</a> <span>API</span></header>
<nav aria-label="Contents"><details open><summary>Contents</summary><ul><li><a href="#guides">Guides</a></li>${contents.join('')}<li><a href="#headers">Headers</a></li><li><a href="#schemas">Schemas</a></li></ul></details></nav>
<main id="main">
<h1>Images, movies and events of the Sun</h1>
<p>Every operation accepts GET, HEAD and POST, needs no key, and may be called from pages of any origin. The examples work with the sample
archive of <code>npm start</code>. <a href="/v2/openapi.json">The OpenAPI document</a> describes the same for programs.</p>
${guides.replaceAll('<pre>', SCROLLED)}
${sections.join('\n')}
${schemaSections(document)}
</main>
</body>
</html>
`;
}

/** Writes the page into the folder of the built pages. */
export async function writeDocs(sources: string, folder: string): Promise<void> {
  const document = openApiDocument(operations.values(), { origin: '', tags: TAGS });
  const guides = await readFile(join(sources, 'docs', 'guides.html'), 'utf8');
  await mkdir(join(folder, 'docs'), { recursive: true });
  const file = join(folder, 'docs', 'index.html');
  await writeFile(`${file}.${process.pid}`, docsPage(document, guides));
  await rename(`${file}.${process.pid}`, file);
}
