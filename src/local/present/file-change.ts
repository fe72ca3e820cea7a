import type { FileChange } from '../git/diff.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';

/** `diff-entry` of GitHub's description. `commit` is the side that the links show. */
export function presentFileChange(urls: Urls, repo: Repo, commit: string, file: FileChange) {
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const html = urls.repoHtml(repo);
  return {
    sha: file.oid,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${html}/blob/${commit}/${path}`,
    raw_url: `${html}/raw/${commit}/${path}`,
    contents_url: `${urls.repoApi(repo)}/contents/${path}?ref=${commit}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}
