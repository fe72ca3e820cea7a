/** What one pass over a repository came to. */
export type PassResult =
  /** Nothing was to do; `wakeAt` is when something may be, by the clock. `busy`: a run is under way that tells nothing by itself. */
  | { readonly kind: 'quiet'; readonly wakeAt: number | null; readonly busy: boolean }
  | { readonly kind: 'changed' }
  | { readonly kind: 'again'; readonly why: string }
  | { readonly kind: 'rate-limited'; readonly retryAt: number }
  | { readonly kind: 'stopped'; readonly code: string; readonly detail: string };
