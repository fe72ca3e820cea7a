import { DefaultArtifactClient } from '@actions/artifact';
import type { ArtifactStore } from '../worker/artifact-store.ts';

/** Artifacts of the running workflow run, kept by GitHub for as long as the repository's settings say. */
export function runArtifacts(): ArtifactStore {
  const client = new DefaultArtifactClient();
  return {
    upload: async ({ name, files, folder }) => {
      await client.uploadArtifact(name, [...files], folder);
    },
  };
}
