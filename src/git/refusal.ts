/** Why hostile input was not taken: a word from a fixed list, and a detail that is safe to log but not to publish. */
export type RefusalReason =
  | 'too-large'
  | 'too-many-objects'
  | 'bundle-header'
  | 'bundle-prerequisite'
  | 'bundle-refs'
  | 'bundle-pack'
  | 'limits'
  | 'objects'
  | 'commit'
  | 'tree-name'
  | 'tree-mode'
  | 'tree-twins'
  | 'tree-shape'
  | 'missing-object'
  | 'no-base';

export interface Refusal {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly detail: string;
}

/** A refusal whose detail is cut to 300 characters, without control characters. */
export function refused(reason: RefusalReason, detail: string): Refusal {
  const clean = detail.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '?').slice(0, 300);
  return { kind: 'refused', reason, detail: clean };
}
