import { cloudError } from './cloud-error.ts';
import { mappedModel, prefixOf, type Upstream } from './upstream.ts';

export interface VertexUpstreamOptions {
  readonly project: string;
  readonly region: string;
  /** Instead of Google's own address. */
  readonly url: URL | null;
  readonly models: Readonly<Record<string, string>>;
}

const version = 'vertex-2023-10-16';

/** Google Vertex AI: `rawPredict` and `streamRawPredict` of Anthropic's models, with an access token. */
export function vertexUpstream({ project, region, url, models }: VertexUpstreamOptions): Upstream {
  const base = url ?? new URL(`https://${googleHost(region)}/v1`);
  const publisher = `${prefixOf(base)}/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}/publishers/anthropic/models`;
  return {
    kind: 'vertex',
    prepare: async ({ call, headers, parsed }, secret) => {
      const { model, ...rest } = parsed;
      const id = mappedModel(models, model);
      const method = parsed.stream === true ? 'streamRawPredict' : 'rawPredict';
      const counting = call === 'count-tokens';
      const { 'anthropic-version': _of, ...passed } = headers;
      return {
        url: base,
        path: counting
          ? `${publisher}/count-tokens:rawPredict`
          : `${publisher}/${encodeURIComponent(id).replaceAll('%40', '@')}:${method}`,
        headers: { ...passed, ...(secret === null ? {} : { authorization: `Bearer ${secret}` }) },
        body: Buffer.from(
          JSON.stringify({ ...rest, ...(counting ? { model: id } : {}), anthropic_version: version }),
        ),
      };
    },
    translateStream: () => null,
    translateError: cloudError,
  };
}

function googleHost(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}
