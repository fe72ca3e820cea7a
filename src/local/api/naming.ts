import { Lock } from '../git/lock.ts';

/** Held while a name of a repository is looked up and taken: of many who want it at once, one gets it. */
export const naming = new Lock();
