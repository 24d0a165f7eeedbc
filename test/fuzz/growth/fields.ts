// The places of a request that a client fills: fields of operations, of messages of MCP and of JPIP, headers, and those of all other
// addresses.
import type { Field } from './field.ts';
import { headerFields } from './headers.ts';
import { mcpFields } from './mcp.ts';
import { actionFields, operationFields, returnFields } from './operations.ts';
import { addressFields, jpipFields, resourceFields, viewFields } from './paths.ts';
import type { GrowthService } from './service.ts';

/** Fields of the same name, which most operations read by the same rules, count as one. */
const byName = (fields: readonly Field[]) => [...Map.groupBy(fields, ({ name }) => name).values()];

/** All fields in groups, of which a run visits each. */
export function fieldGroups(service: GrowthService): readonly (readonly Field[])[] {
  return [
    [...operationFields(service), ...actionFields(service), ...returnFields(service)],
    mcpFields(service),
    headerFields(service),
    jpipFields(),
    viewFields(),
    addressFields(service),
    resourceFields(service),
  ].flatMap(byName);
}
