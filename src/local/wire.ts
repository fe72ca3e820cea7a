/** One HTTP request as a value, by whatever door it came. */
export interface WireRequest {
  /** Upper case. */
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Unpacked. */
  readonly body: Buffer;
}

/** What goes back: an answer, or the connection torn without one. */
export type WireAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Buffer | undefined;
    }
  | { readonly kind: 'reset' };
