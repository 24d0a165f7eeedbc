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
