import { type Policy, policySchema } from './policy.ts';

/** What holds where a repository has no `.github/ccd.yml`. */
export const defaultPolicy: Policy = policySchema.parse({});
