import type { InputDefinition } from '../workflow/triggers.ts';

type InputValue = string | number | boolean;

/** The inputs a run starts with, or GitHub's 422 message. */
type InputReading =
  | { readonly kind: 'accepted'; readonly inputs: Record<string, InputValue> }
  | { readonly kind: 'refused'; readonly message: string };

const MAX_INPUTS = 25;

function typed(
  name: string,
  definition: InputDefinition,
  given: string,
): InputValue | { readonly problem: string } {
  switch (definition.type) {
    case 'boolean':
      if (given === 'true' || given === 'false') return given === 'true';
      return { problem: `Provided value '${given}' for input '${name}' not in the list of allowed values` };
    case 'number': {
      const number = Number(given);
      return Number.isNaN(number)
        ? { problem: `Provided value '${given}' for input '${name}' is not a number` }
        : number;
    }
    case 'choice':
      if (definition.options?.includes(given)) return given;
      return { problem: `Provided value '${given}' for input '${name}' not in the list of allowed values` };
    default:
      return given;
  }
}

function emptyValue(definition: InputDefinition): InputValue {
  if (definition.type === 'boolean') return false;
  if (definition.type === 'choice') return definition.options?.[0] ?? '';
  return '';
}

/** Checks what a dispatch brings against the workflow's declared inputs and fills the defaults in. */
export function readDispatchInputs(
  definitions: Readonly<Record<string, InputDefinition>>,
  given: Readonly<Record<string, unknown>>,
): InputReading {
  const refused = (message: string): InputReading => ({ kind: 'refused', message });
  const unexpected = Object.keys(given).filter((name) => !(name in definitions));
  if (unexpected.length > 0) return refused(`Unexpected inputs provided: ${JSON.stringify(unexpected)}`);
  if (Object.keys(given).length > MAX_INPUTS) return refused(`The maximum number of inputs is ${MAX_INPUTS}`);
  const inputs: Record<string, InputValue> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const value = given[name] ?? definition.default;
    if ((value === undefined || value === '') && definition.required) {
      return refused(`Required input '${name}' not provided`);
    }
    const result = value === undefined ? emptyValue(definition) : typed(name, definition, String(value));
    if (typeof result === 'object') return refused(result.problem);
    inputs[name] = result;
  }
  return { kind: 'accepted', inputs };
}
