export interface ArtifactUpload {
  readonly name: string;
  /** Absolute paths; in the artifact they are named relative to `folder`. */
  readonly files: readonly string[];
  readonly folder: string;
}

/** Where a run's artifacts go. Rejects when the upload failed; the same name cannot be taken twice. */
export interface ArtifactStore {
  upload(upload: ArtifactUpload): Promise<void>;
}
