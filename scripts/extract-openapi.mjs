// Cuts the operations that src/local serves, and the webhooks that it sends, out of GitHub's OpenAPI description.
//
//   node scripts/extract-openapi.mjs <folder of @octokit/openapi>/generated/api.github.com.json
//
// The operations are the `operationId`s found in src/local/api/*.ts. The description is no dependency (385 MB):
// install it elsewhere. The result is JSON Schema: `nullable` becomes a type, prose and examples are left out.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const API = new URL('../src/local/api/', import.meta.url);
const TARGET = new URL('../src/local/contract/generated/openapi.json', import.meta.url);

const WEBHOOKS = [
  /^issues-(opened|edited|closed|reopened|labeled|unlabeled|locked|unlocked|transferred|deleted)$/,
  /^issue-comment-(created|edited|deleted)$/,
  /^pull-request-(opened|edited|closed|reopened|synchronize|labeled|unlabeled|locked|unlocked|ready-for-review|converted-to-draft)$/,
  /^pull-request-review-(submitted|edited|dismissed)$/,
  /^check-run-(created|completed|rerequested)$/,
  /^check-suite-rerequested$/,
  /^repository-(renamed|archived|unarchived|deleted)$/,
  /^workflow-run-(requested|in-progress|completed)$/,
  /^workflow-job-(queued|waiting|in-progress|completed)$/,
  /^issue-dependencies-/,
  /^sub-issues-/,
  /^(push|create|delete)$/,
  /^installation-(created|deleted)$/,
];

const DROPPED = new Set([
  'description',
  'example',
  'examples',
  'externalDocs',
  'title',
  'deprecated',
  'readOnly',
  'discriminator',
  'default',
]);

const source = process.argv[2];
if (!source) {
  process.stderr.write('usage: node scripts/extract-openapi.mjs <api.github.com.json>\n');
  process.exit(2);
}
const description = JSON.parse(readFileSync(source, 'utf8'));

function servedOperations() {
  const text = readdirSync(API)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, API), 'utf8'))
    .join('\n');
  return new Set([...text.matchAll(/operationId: '([^']+)'/g)].map((match) => match[1]));
}

/**
 * The lists of event names that apps can subscribe to are years old in the webhook schemas (no workflow_job, no
 * issue_dependencies): they are dropped, since GitHub's own deliveries break them.
 *
 * Schema → JSON Schema. `isMap` is true inside `properties`, where every key is a name and none is a keyword.
 */
function convert(node, isMap = false) {
  if (Array.isArray(node)) return node.map((one) => convert(one));
  if (node === null || typeof node !== 'object') return node;
  const result = {};
  for (const [key, value] of Object.entries(node)) {
    if (!isMap && (DROPPED.has(key) || key.startsWith('x-') || key === 'nullable')) continue;
    if (key === 'enum' && value.includes('branch_protection_rule')) continue;
    const isLiteral = !isMap && (key === 'enum' || key === 'required' || key === 'const');
    result[key] = isLiteral ? value : convert(value, !isMap && key === 'properties');
  }
  return !isMap && node.nullable === true ? nullable(result) : result;
}

function nullable(schema) {
  if (Array.isArray(schema.anyOf) && Object.keys(schema).length === 1)
    return { anyOf: [...schema.anyOf, { type: 'null' }] };
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const type = { ...schema, type: [schema.type, 'null'] };
  return schema.enum && !schema.enum.includes(null) ? { ...type, enum: [...schema.enum, null] } : type;
}

function deref(node) {
  if (!node?.$ref) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], description);
}

function jsonSchema(container) {
  const content = deref(container)?.content;
  const media = content?.['application/json'] ?? content?.['application/json; charset=utf-8'];
  return media?.schema ? convert(media.schema) : null;
}

const wanted = servedOperations();
const operations = {};
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (!wanted.delete(operation.operationId)) continue;
    operations[operation.operationId] = {
      method: method.toUpperCase(),
      path,
      request: operation.requestBody ? jsonSchema(operation.requestBody) : null,
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, jsonSchema(response)]),
      ),
    };
  }
}
if (wanted.size > 0) throw new Error(`not in the description: ${[...wanted].join(', ')}`);

// The description's own mistake: it asks that an account be a user and an enterprise at once.
operations['apps/list-installations'].responses['200'] = {
  type: 'array',
  items: { $ref: '#/components/schemas/installation' },
};

const webhooks = {};
for (const [name, { post }] of Object.entries(description['x-webhooks'])) {
  if (WEBHOOKS.some((pattern) => pattern.test(name))) webhooks[name] = jsonSchema(post.requestBody);
}

const schemas = { 'basic-error': convert(description.components.schemas['basic-error']) };
const queue = [operations, webhooks];
while (queue.length > 0) {
  for (const [, name] of JSON.stringify(queue.pop()).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    if (schemas[name]) continue;
    schemas[name] = convert(description.components.schemas[name]);
    queue.push(schemas[name]);
  }
}

const result = { version: description.info.version, operations, webhooks, components: { schemas } };
const text = JSON.stringify(result);
writeFileSync(TARGET, `${text}\n`);
process.stdout.write(
  `${Object.keys(operations).length} operations, ${Object.keys(webhooks).length} webhooks, ` +
    `${Object.keys(schemas).length} schemas, ${Math.round(text.length / 1024)} KB\n`,
);
