/** An HTTP answer as a value. `body` is JSON unless it is a string or bytes; undefined sends none. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const DOCS = 'https://docs.github.com/rest';

export const ok = (body: unknown, headers?: Record<string, string>): Reply => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
});
export const created = (body: unknown, headers?: Record<string, string>): Reply => ({
  status: 201,
  body,
  ...(headers ? { headers } : {}),
});
export const accepted = (body: unknown = {}): Reply => ({ status: 202, body });
export const noContent = (): Reply => ({ status: 204 });

/** An error in GitHub's shape: message, documentation_url, status. */
export const problem = (status: number, message: string, extra: Record<string, unknown> = {}): Reply => ({
  status,
  body: { message, ...extra, documentation_url: DOCS, status: String(status) },
});

export const notFound = (): Reply => problem(404, 'Not Found');
export const badCredentials = (): Reply => problem(401, 'Bad credentials');
export const forbidden = (message = 'Resource not accessible by integration'): Reply => problem(403, message);

export interface FieldError {
  readonly resource: string;
  readonly field: string;
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'custom' | 'unprocessable';
  readonly message?: string;
  readonly value?: string | null;
}

/** 422 with the fields at fault. */
export const invalid = (...errors: FieldError[]): Reply => problem(422, 'Validation Failed', { errors });
/** 422 with one sentence, as git data endpoints answer. */
export const unprocessable = (message: string): Reply => problem(422, message);
