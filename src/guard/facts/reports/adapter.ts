import type { ExecutedTest } from '../../../domain/facts.ts';
import type { ResolvedSegment } from '../resolve-command.ts';

/** Where a run puts its report, outside the tree. */
export interface ReportPlaces {
  /** Absolute path of the report file; its name cannot be guessed. */
  readonly reportFile: string;
  /** Absolute path of the folder that the support files are written to. */
  readonly supportDir: string;
}

/** A test command's segment that leaves a structured report behind. */
export interface Instrumented {
  readonly source: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ReportInput {
  /** Content of the report file; null when there is none. */
  readonly report: string | null;
  readonly stdout: string;
  /** The secret that `supportFiles` was given. */
  readonly key: string;
  /** Absolute path of the tree that was tested: paths in ids are relative to it. */
  readonly root: string;
  /** Folder of the tree that the command ran in, `''` for the root. */
  readonly folder: string;
  /** Text of a file of the tested tree by its path in the tree, null when there is none. */
  readonly readText: (path: string) => string | null;
  /** Paths of all files of the tested tree. */
  readonly paths: readonly string[];
}

export type ReportResult =
  | { readonly kind: 'tests'; readonly tests: ExecutedTest[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** How one test runner is made to tell what it did. Pure: files are written and read by the caller. */
export interface ReportAdapter {
  readonly name: string;
  /** The words after wrappers such as `npx` and environment assignments, program first. */
  matches(words: readonly string[]): boolean;
  /** `at` is the index of the runner's word in `segment.words`. */
  instrument(segment: ResolvedSegment, at: number, places: ReportPlaces): Instrumented;
  /**
   * Files to write into `supportDir` before the run: name to content. `key` is a secret of the run, by which a reporter of
   * ours can mark what it writes.
   */
  supportFiles(places: ReportPlaces, key: string): Readonly<Record<string, string>>;
  /** Never throws on hostile text: it is refused as `unreadable`. */
  parse(input: ReportInput): ReportResult;
}
