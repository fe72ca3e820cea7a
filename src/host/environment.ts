/** Names that every child may inherit: where programs are found and how text is written; no tokens, no proxies, no options. */
const inheritable = ['PATH', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'] as const;

export type Environment = Readonly<Record<string, string>>;

/**
 * The whole environment of a child: the allow-listed names of the parent's, a fixed locale and shell, then what the
 * caller adds. Nothing else of the parent's environment gets through.
 */
export function childEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  own: Environment,
): Environment {
  const result: Record<string, string> = { SHELL: '/bin/sh', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  for (const name of inheritable) {
    const value = parent[name];
    if (value !== undefined) result[name] = value;
  }
  return { ...result, ...own };
}
