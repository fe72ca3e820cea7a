import { readFile } from 'node:fs/promises';
import type { Ajv, ValidateFunction } from 'ajv';
import { z } from 'zod';

/** One way in which an exchange differs from GitHub's description. */
export interface Violation {
  /** `issues/get 200`, `issues/create request`, `webhook issues.opened`. */
  readonly subject: string;
  readonly details: readonly string[];
}

const Description = z.object({
  version: z.string(),
  operations: z.record(
    z.string(),
    z.object({
      method: z.string(),
      path: z.string(),
      request: z.unknown(),
      responses: z.record(z.string(), z.unknown()),
    }),
  ),
  webhooks: z.record(z.string(), z.unknown()),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
export type Description = z.infer<typeof Description>;

const ROOT = 'github';

/** Checks answers, requests and webhooks against the committed part of GitHub's OpenAPI description. */
export class ContractValidator {
  readonly description: Description;
  /** Operations that had at least one answer checked. */
  readonly seenOperations = new Set<string>();
  readonly seenWebhooks = new Set<string>();
  readonly violations: Violation[] = [];
  readonly #ajv: Ajv;

  private constructor(description: Description, ajv: Ajv) {
    this.description = description;
    this.#ajv = ajv;
  }

  /** A validator with notes of its own; the description is read and compiled once per process. */
  static async load(): Promise<ContractValidator> {
    shared ??= prepare();
    const { description, ajv } = await shared;
    return new ContractValidator(description, ajv);
  }
  /** Checks one answer. Errors that the description does not list must look like `basic-error`. */
  answer(operationId: string, status: number, body: unknown): Violation | null {
    const operation = this.description.operations[operationId];
    const subject = `${operationId} ${status}`;
    if (!operation) return this.#note({ subject, details: ['the operation is not in the description'] });
    this.seenOperations.add(operationId);
    const schema = operation.responses[String(status)];
    if (schema === undefined) {
      if (status < 400) return this.#note({ subject, details: ['the description has no such status'] });
      return this.#check(subject, '/components/schemas/basic-error', body);
    }
    if (schema === null) return null;
    return this.#check(subject, `/operations/${pointerPart(operationId)}/responses/${status}`, body);
  }

  /** Checks the body of a request that was accepted. */
  request(operationId: string, body: unknown): Violation | null {
    const schema = this.description.operations[operationId]?.request;
    if (schema === undefined || schema === null) return null;
    return this.#check(`${operationId} request`, `/operations/${pointerPart(operationId)}/request`, body);
  }

  webhook(event: string, action: string | null, payload: unknown): Violation | null {
    const name = [event, action]
      .filter((part) => part !== null)
      .join('-')
      .replaceAll('_', '-');
    const subject = `webhook ${event}${action === null ? '' : `.${action}`}`;
    if (!(name in this.description.webhooks))
      return this.#note({ subject, details: ['the webhook is not in the description'] });
    this.seenWebhooks.add(name);
    return this.#check(subject, `/webhooks/${name}`, payload);
  }

  #check(subject: string, pointer: string, value: unknown): Violation | null {
    const validate = this.#ajv.getSchema(`${ROOT}#${pointer}`) as ValidateFunction;
    // Dates and undefined fields are judged as they go over the wire.
    if (validate(JSON.parse(JSON.stringify(value ?? null)))) return null;
    const errors = validate.errors ?? [];
    const details = errors
      .slice(0, 12)
      .map(
        (error) =>
          `${error.instancePath || '/'} ${error.message ?? ''} ${JSON.stringify(error.params).slice(0, 200)}`,
      );
    return this.#note({ subject, details });
  }

  #note(violation: Violation): Violation {
    this.violations.push(violation);
    return violation;
  }
}

const pointerPart = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');

interface Prepared {
  readonly description: Description;
  readonly ajv: Ajv;
}

let shared: Promise<Prepared> | null = null;

async function prepare(): Promise<Prepared> {
  const [{ Ajv }, formats, text] = await Promise.all([
    import('ajv'),
    import('ajv-formats'),
    readFile(new URL('./generated/openapi.json', import.meta.url), 'utf8'),
  ]);
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false });
  formats.default.default(ajv, ['date-time', 'date', 'int64', 'uuid']);
  // GitHub's own data breaks these: empty addresses, addresses with templates.
  for (const name of ['uri', 'email', 'repo.nwo', 'ssh-key', 'hostname', 'ip']) ajv.addFormat(name, true);
  const description = Description.parse(JSON.parse(text));
  ajv.addSchema(description, ROOT);
  return { description, ajv };
}
