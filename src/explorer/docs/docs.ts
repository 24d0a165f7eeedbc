// The page of the API: Swagger UI shows the operations of v2, as the service describes them at /v2/openapi.json.
import SwaggerUI, { type Document, type Plugin, type Props, type Wrapper } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

const viewer = document.getElementById('viewer')!;

for (const block of document.querySelectorAll<HTMLElement>('#guides pre')) {
  block.firstElementChild!.textContent = block.textContent.replaceAll('https://HOST', location.origin);
  block.tabIndex = 0;
}

/** Leaves out what the page itself has, and names the fields for screen readers. */
const accessible: Plugin = ({ React: { createElement } }) => {
  /** Sets an attribute of an element within a component. */
  const labelled =
    (selector: string, attribute: (props: Props) => readonly [name: string, value: string]): Wrapper =>
    (Original) =>
    (props) => {
      const label = (node: Element | null) => node?.querySelector(selector)?.setAttribute(...attribute(props));
      return createElement('div', { ref: label }, createElement(Original, props));
    };
  return {
    components: {
      InfoContainer: () => null,
      ServersContainer: () => null,
      // Links must not be inside the button of an operation.
      DeepLink: ({ text }) => text,
      // Keys scroll the element that has the focus.
      PlainTextViewer: ({ className = '', children }) =>
        createElement('pre', { className: `microlight ${className}`, tabIndex: 0 }, children),
    },
    wrapComponents: {
      JsonSchemaForm: (Form) => (props) =>
        createElement('label', {}, createElement('span', { className: 'unseen' }, props.description), createElement(Form, props)),
      TextArea: (Area) => (props) => createElement(Area, { 'aria-label': 'Body of the request', ...props }),
      responseBody: labelled('img', () => ['alt', 'The picture of the response']),
      responses: labelled('.responses-table', ({ path }) => ['aria-label', `Responses of ${path}`]),
      // Within the main landmark of the viewer, above the headings of its groups.
      operations: (Operations) => (props) =>
        createElement('div', {}, createElement('h2', {}, 'Operations'), createElement(Operations, props)),
    },
  };
};

/** Paints the viewer for the colours that the system prefers. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

async function loadDocument(): Promise<Document> {
  const response = await fetch('/v2/openapi.json');
  if (!response.ok) throw new Error(`The OpenAPI document could not be loaded (status ${response.status}).`);
  const { paths, ...others } = (await response.json()) as Document;
  return { ...others, paths: Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/v2/'))) };
}

async function show(): Promise<void> {
  const spec = await loadDocument();
  const operations = Object.values(spec.paths).flatMap((methods) => Object.values(methods));
  /** Gives the address of an operation the form that the viewer has for it. */
  const translate = () => {
    const operation = operations.find(({ operationId }) => location.hash === `#${operationId}`);
    const hash = operation && `#/${operation.tags[0]!.replaceAll(' ', '%20')}/${operation.operationId}`;
    if (hash) history.replaceState(null, '', hash);
    return hash;
  };
  translate();
  const { layoutActions } = SwaggerUI({
    spec,
    domNode: viewer,
    plugins: [accessible],
    deepLinking: true,
    tryItOutEnabled: true,
    syntaxHighlight: false,
    validatorUrl: null,
    defaultModelsExpandDepth: 0,
  }).getSystem();
  addEventListener('hashchange', () => {
    const hash = translate();
    if (hash) layoutActions.parseDeepLinkHash(decodeURIComponent(hash));
  });
}

show().catch((error: Error) => {
  viewer.textContent = `${error.message} Load the page again.`;
});
