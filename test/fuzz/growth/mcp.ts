// The fields of messages of the Model Context Protocol.
import { MCP_PATH, toolbox } from '../../../src/faces/mcp/tools.ts';
import { type Field, type Json, jsonFields, lengthsOfParameter, ORIGIN, postJson } from './field.ts';
import type { GrowthService } from './service.ts';

export interface Definition {
  readonly name: string;
  readonly inputSchema: { readonly properties: object };
}

/** The tools with the arguments that they take, of which `good` has the values of the operations. */
function toolsWith(good: GrowthService['good']) {
  const refused = async () => Response.error();
  return (toolbox(ORIGIN, refused).list() as readonly Definition[]).map(({ name, inputSchema }) => {
    const names = Object.keys(inputSchema.properties);
    const values = Object.entries(good[name] ?? {}).filter(([argument]) => names.includes(argument));
    return { name, names, values: Object.fromEntries(values) };
  });
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'client', version: '1.0' } },
};

const callOf = (name: string, given: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** Many arguments with names near to one that the tool has. */
function argumentNames(tool: string, near: string): Field {
  const named = (length: number) =>
    Array.from({ length: Math.ceil(length / (near.length + 8)) }, (_, i) => [`${near}${i.toString(36)}`, '1']);
  return {
    name: 'names of arguments',
    where: `POST ${MCP_PATH} names of arguments`,
    good: null,
    lengths: lengthsOfParameter(''),
    requests: [(_, length) => postJson(MCP_PATH, callOf(tool, Object.fromEntries(named(length))))],
    describe: () => `n characters of arguments with names like ${near}`,
  };
}

/** The name of a tool and each of its arguments. One that has no value in the example is added to it alone. */
function toolFields({ name, names, values }: ReturnType<typeof toolsWith>[number]): Field[] {
  const others = names.filter((argument) => !Object.hasOwn(values, argument));
  const paramsOf = (given: object) => jsonFields(MCP_PATH, callOf(name, given), 'params');
  const ofOthers = others.flatMap((argument) =>
    paramsOf({ ...values, [argument]: '' }).filter((field) => field.name === `params.arguments.${argument}`),
  );
  const fields = [...paramsOf(values), ...ofOthers, ...names.slice(0, 1).map((near) => argumentNames(name, near))];
  return fields.map((field) => ({ ...field, where: `${field.where} of the tool ${name}` }));
}

/** Every text of messages: of their envelope, of the revisions with and without a handshake, and every argument of every tool. */
export function mcpFields({ good, toolCall }: Pick<GrowthService, 'good' | 'toolCall'>): readonly Field[] {
  const messages: readonly (readonly [Json, Readonly<Record<string, string>>?])[] = [
    [INITIALIZE],
    [toolCall.body, toolCall.headers],
  ];
  const ofMessages = messages.flatMap(([message, headers]) =>
    Object.keys(message as object).flatMap((member) => jsonFields(MCP_PATH, message, member, headers)),
  );
  return [...ofMessages, ...toolsWith(good).flatMap(toolFields)];
}
