import type { JobRecord, RunRecord } from './records.ts';

/** What the engine tells as it happens. */
export interface EngineEvents {
  run: { readonly run: RunRecord; readonly action: 'requested' | 'in_progress' | 'completed' };
  job: { readonly job: JobRecord; readonly action: 'queued' | 'waiting' | 'in_progress' | 'completed' };
  /** Anything at all changed: what waiting conditions listen to. */
  changed: { readonly run: RunRecord };
}
