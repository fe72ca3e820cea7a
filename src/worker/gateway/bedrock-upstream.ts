import { CcdError } from '../../domain/errors.ts';
import { eventStreamToSse } from './bedrock-stream.ts';
import { cloudError } from './cloud-error.ts';
import { parseAwsCredentials, signedHeaders } from './sigv4.ts';
import { mappedModel, prefixOf, type Upstream } from './upstream.ts';

export interface BedrockUpstreamOptions {
  readonly region: string;
  /** Instead of Amazon's own address. */
  readonly url: URL | null;
  /** `sigv4`: the slot holds an access key; `bearer`: a Bedrock API key. */
  readonly auth: 'sigv4' | 'bearer';
  readonly models: Readonly<Record<string, string>>;
}

const version = 'bedrock-2023-05-31';
const eventStream = 'application/vnd.amazon.eventstream';

/** AWS Bedrock: `InvokeModel` and `InvokeModelWithResponseStream` of Anthropic's models. */
export function bedrockUpstream({ region, url, auth, models }: BedrockUpstreamOptions): Upstream {
  const base = url ?? new URL(`https://bedrock-runtime.${region}.amazonaws.com`);
  return {
    kind: 'bedrock',
    prepare: async ({ call, headers, parsed }, secret) => {
      if (call !== 'messages') return null;
      const { model, stream, ...rest } = parsed;
      const betas = (headers['anthropic-beta'] ?? '').split(',').map((one) => one.trim());
      const named = betas.filter((one) => one !== '');
      const body = Buffer.from(
        JSON.stringify({
          ...rest,
          anthropic_version: version,
          ...(named.length === 0 || 'anthropic_beta' in rest ? {} : { anthropic_beta: named }),
        }),
      );
      const method = stream === true ? 'invoke-with-response-stream' : 'invoke';
      const path = `${prefixOf(base)}/model/${encodeURIComponent(mappedModel(models, model))}/${method}`;
      const contentType = 'application/json';
      return {
        url: base,
        path,
        headers: {
          'content-type': contentType,
          accept: stream === true ? eventStream : contentType,
          ...(auth === 'bearer'
            ? { authorization: `Bearer ${secret ?? ''}` }
            : await signedHeaders({ url: base, path, body, contentType }, credentialsOf(secret), {
                region,
                service: 'bedrock',
              })),
        },
        body,
      };
    },
    translateStream: (contentType) => (contentType.includes(eventStream) ? eventStreamToSse() : null),
    translateError: cloudError,
  };
}

function credentialsOf(secret: string | null) {
  const credentials = secret === null ? null : parseAwsCredentials(secret);
  if (credentials !== null) return credentials;
  throw new CcdError({
    code: 'worker.model-key',
    message: 'The model key is no AWS access key.',
    remedy:
      'Write it as id:secret or id:secret:session, or give a command that prints the JSON of a credential_process.',
    audience: 'operator',
  });
}
