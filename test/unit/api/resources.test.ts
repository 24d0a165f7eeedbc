// The examples of addresses outside the operations, which the fuzz targets change.
import { expect, it } from 'vitest';
import { requestableArchive } from '../../support/good-requests.ts';
import { resourceInit, resourcePath } from '../../support/resource-examples.ts';

const { get, resources } = await requestableArchive();

// In this order, because the first example of a webhook registers the one of the others.
it.each(resources)('the example of $path with $elements has its expected status', async (example) => {
  const response = await get(
    `${resourcePath(example, example.elements)}?${new URLSearchParams(example.query)}`,
    resourceInit(example),
  );
  expect([response.status, response.ok ? '' : await response.text()]).toEqual([example.status ?? 200, expect.any(String)]);
});

it.each(resources.filter(({ headers }) => headers === undefined))('$path refuses another method: $elements', async (example) => {
  const path = resourcePath(example, example.elements);
  const others = ['PUT', 'DELETE', 'PATCH', ...(example.takesPost ? [] : ['POST'])];
  for (const method of others) {
    const response = await get(path, { method });
    expect([method, response.status, response.headers.get('Allow')]).toEqual([
      method,
      405,
      example.takesPost ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS',
    ]);
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(`^${method} is not supported here. Use GET`) });
  }
});
