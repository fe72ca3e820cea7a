import type { Ajv as AjvInstance, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isRecord } from './item.ts';

/** The schema of one result, compiled. */
export interface ResultSchema {
  /** What is wrong with a result; null when it fits. */
  readonly check: (result: unknown) => string | null;
  /** JSON text of the schema that the agent's whole answer has to fit. */
  readonly answerSchema: string;
}

export type CompiledSchema =
  | { readonly kind: 'compiled'; readonly schema: ResultSchema }
  | { readonly kind: 'invalid'; readonly reason: string };

/** The command line takes the schema as one word, and a word has at most 128 KiB. */
const longestSchema = 100_000;

/** Compiles a JSON Schema (2020-12, or draft 7 where it says so). Nothing is fetched: a reference elsewhere is refused. */
export function compileSchema(schema: unknown, resultKey: string): CompiledSchema {
  if (!isRecord(schema)) return invalid('it is no JSON object');
  const answer = answerSchemaOf(schema, resultKey);
  const answerSchema = JSON.stringify(answer);
  if (answerSchema.length > longestSchema) return invalid(`it is longer than ${longestSchema} characters`);
  try {
    const validate = validator(schema).compile(schema);
    validator(schema).compile(answer);
    return { kind: 'compiled', schema: { check: (result) => faultOf(validate, result), answerSchema } };
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
}

const invalid = (reason: string): CompiledSchema => ({ kind: 'invalid', reason });

function validator(schema: Readonly<Record<string, unknown>>): AjvInstance {
  const draft7 = typeof schema.$schema === 'string' && schema.$schema.includes('draft-07');
  const options = { strict: false, allErrors: false } as const;
  const ajv = draft7 ? new Ajv(options) : new Ajv2020(options);
  // The package's types describe its CommonJS form.
  (addFormats as unknown as (ajv: AjvInstance) => void)(ajv as AjvInstance);
  return ajv as AjvInstance;
}

function faultOf(validate: ValidateFunction, result: unknown): string | null {
  if (validate(result)) return null;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath || '/'} ${error?.message ?? 'does not fit'}`.slice(0, 300);
}

/** An object whose key holds a list of such results. References within the schema are moved to where it now stands. */
function answerSchemaOf(
  schema: Readonly<Record<string, unknown>>,
  resultKey: string,
): Record<string, unknown> {
  const { $schema, $id: _id, ...items } = schema;
  const pointer = `#/properties/${resultKey.replaceAll('~', '~0').replaceAll('/', '~1')}/items`;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { [resultKey]: { type: 'array', items: moved(items, pointer) } },
    required: [resultKey],
    additionalProperties: false,
  };
}

function moved(value: unknown, pointer: string): unknown {
  if (Array.isArray(value)) return value.map((one) => moved(one, pointer));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isLocal = name === '$ref' && typeof member === 'string' && /^#(?:\/|$)/.test(member);
      return [name, isLocal ? `${pointer}${(member as string).slice(1)}` : moved(member, pointer)];
    }),
  );
}
