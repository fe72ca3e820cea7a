import { STATUS_CODES } from 'node:http';
import type { WireAnswer } from './wire.ts';

/** Statuses whose `Response` may hold no body. */
const BODILESS = new Set([101, 204, 205, 304]);

type Answered = Extract<WireAnswer, { kind: 'answer' }>;

/**
 * An answer as a `Response`, with address, headers and body handed out as they are: filling headers into the platform's
 * own and reading its streams costs as much as most calls. What is asked for seldom, it asks of a true one.
 */
class InProcessResponse implements Response {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly url: string;
  readonly redirected: boolean;
  readonly type = 'basic';
  readonly #content: string | Buffer | undefined;
  #read = false;
  #whole: Response | null = null;

  constructor(answer: Answered, url: string, redirected: boolean) {
    this.status = answer.status;
    this.headers = new AnswerHeaders(answer.headers);
    this.url = url;
    this.redirected = redirected;
    this.#content = BODILESS.has(answer.status) ? undefined : answer.body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  get statusText(): string {
    return STATUS_CODES[this.status] ?? '';
  }

  get body(): Response['body'] {
    return this.#content === undefined ? null : this.#true().body;
  }

  get bodyUsed(): boolean {
    return this.#read || this.#whole?.bodyUsed === true;
  }

  async text(): Promise<string> {
    this.#take();
    return this.#content?.toString() ?? '';
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    this.#take();
    return bytesOf(this.#content).buffer;
  }

  async blob(): ReturnType<Response['blob']> {
    this.#take();
    return new Response(bytesOf(this.#content), { headers: { ...this.headers.all } }).blob();
  }

  async formData(): ReturnType<Response['formData']> {
    this.#take();
    return new Response(bytesOf(this.#content), { headers: { ...this.headers.all } }).formData();
  }

  clone(): Response {
    if (this.bodyUsed) throw new TypeError('Response.clone: Body has already been consumed.');
    const { status, headers, url, redirected } = this;
    return new InProcessResponse(
      { kind: 'answer', status, headers: headers.all, body: this.#content },
      url,
      redirected,
    );
  }

  /** Takes the body, which can be had once. */
  #take(): void {
    if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read');
    this.#read = this.#content !== undefined;
  }

  #true(): Response {
    this.#whole ??= new Response(bytesOf(this.#content));
    return this.#whole;
  }
}

const bytesOf = (content: string | Buffer | undefined): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(content ?? ''));

// It is one to whoever asks by `instanceof`; built by the platform's own constructor it would cost what it is to spare.
Object.setPrototypeOf(InProcessResponse.prototype, Response.prototype);

/** What a `fetch` of the platform answers with. `redirected` when it came from elsewhere than was asked. */
export const inProcessResponse = (answer: Answered, url: string, redirected: boolean): Response =>
  new InProcessResponse(answer, url, redirected);

/** Headers of an answer: names in lower case, told in the order of their names; as those of any `fetch` they do not change. */
class AnswerHeaders implements Headers {
  readonly all: Readonly<Record<string, string>>;

  constructor(all: Readonly<Record<string, string>>) {
    this.all = all;
  }

  get(name: string): string | null {
    return this.all[name] ?? this.all[name.toLowerCase()] ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  getSetCookie(): string[] {
    return [];
  }

  *entries(): Generator<[string, string], undefined, unknown> {
    for (const name of this.keys()) yield [name, this.all[name]!];
  }

  keys() {
    return Object.keys(this.all).sort().values();
  }

  *values(): Generator<string, undefined, unknown> {
    for (const name of this.keys()) yield this.all[name]!;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  forEach(told: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this) told(value, name, this);
  }

  append(): never {
    return unchangeable();
  }

  delete(): never {
    return unchangeable();
  }

  set(): never {
    return unchangeable();
  }
}

const unchangeable = (): never => {
  throw new TypeError('immutable');
};
