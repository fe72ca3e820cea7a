export function startScriptedModel(options: {
  readonly scripts: Readonly<Record<string, unknown>>;
}): Promise<unknown>;
