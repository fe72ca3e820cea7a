/** Bounds of what one hand-over may be. */
export interface ImportLimits {
  /** Size of the bundle file. */
  readonly bundleBytes: number;
  /** Objects in its pack. */
  readonly objects: number;
  /** Size of one file, and of all changed files together, unpacked. */
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** Changed paths, entries in one changed folder, and depth of folders. */
  readonly changes: number;
  readonly folderEntries: number;
  readonly depth: number;
  /** Processor time and wall clock of each child that reads the pack. */
  readonly seconds: number;
  /** Address space of such a child. */
  readonly memoryBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultImportLimits: ImportLimits = {
  bundleBytes: 64 * mebibyte,
  objects: 50_000,
  fileBytes: 32 * mebibyte,
  totalBytes: 256 * mebibyte,
  changes: 10_000,
  folderEntries: 50_000,
  depth: 60,
  seconds: 60,
  memoryBytes: 1024 * mebibyte,
};
