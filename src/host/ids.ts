import { randomBytes, randomUUID } from 'node:crypto';

/** Sources of names that nobody can guess or has used before. */
export interface Ids {
  /** 32 lower-case hexadecimal digits. */
  marker(): string;
  /** RFC 4122 text. */
  uuid(): string;
}

export const randomIds: Ids = {
  marker: () => randomBytes(16).toString('hex'),
  uuid: () => randomUUID(),
};
