import type { Profile } from '../domain/attempt.ts';
import type { Oid } from '../domain/ids.ts';
import type { ObservedReview } from '../domain/snapshot.ts';

/** Profiles whose candidates a person reviews before they are queued. */
const reviewed: ReadonlySet<Profile> = new Set<Profile>(['cross-boundary', 'judgment-heavy']);

export function needsReview(profiles: readonly Profile[]): boolean {
  return profiles.some((profile) => reviewed.has(profile));
}

/** For a landing, a spec that cannot be read is one that asks for a review: nothing unclear lands without a person. */
export function mustBeApproved(
  read:
    | { readonly kind: 'valid'; readonly spec: { readonly profiles: readonly Profile[] } }
    | { readonly kind: 'invalid' },
): boolean {
  return read.kind === 'invalid' || needsReview(read.spec.profiles);
}

export type ReviewWord = 'approved' | 'changes-requested' | 'none';

/**
 * What people's reviews say of one commit. Only a review of exactly that commit by somebody with write access counts; of one
 * person's reviews the last one does, and a request for changes outweighs every approval.
 */
export function reviewWord(reviews: readonly ObservedReview[], commit: Oid): ReviewWord {
  const last = new Map<number, ObservedReview['state']>();
  for (const review of reviews) {
    if (review.commit !== commit || review.actor.mayWrite !== true || review.state === 'commented') continue;
    last.set(review.actor.id, review.state);
  }
  const words = [...last.values()];
  if (words.includes('changes_requested')) return 'changes-requested';
  return words.includes('approved') ? 'approved' : 'none';
}
