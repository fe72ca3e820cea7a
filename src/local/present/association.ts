import type { User } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';

/** `author_association` of something that a user wrote in a repository. */
export function associationOf(repo: Repo, user: User): 'OWNER' | 'COLLABORATOR' | 'NONE' {
  if (user.id === repo.owner.id) return 'OWNER';
  return repo.collaborators.has(user.id) ? 'COLLABORATOR' : 'NONE';
}
