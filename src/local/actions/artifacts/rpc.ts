/** Answer of the results service: JSON, or XML as blob stores write errors. */
export interface RpcAnswer {
  readonly status: number;
  readonly body: unknown;
}

export const fail = (status: number, code: string, msg: string): RpcAnswer => ({
  status,
  body: { code, msg },
});

export const done = (body: unknown): RpcAnswer => ({ status: 200, body });

/** An error as a blob store writes it. */
export const blobError = (status: number, code: string): RpcAnswer => ({
  status,
  body: `<Error><Code>${code}</Code></Error>`,
});
