import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

/** Where an attempt's files lie. What the agent may write and what it must never see are apart from the start. */
export interface AttemptFolders {
  readonly root: string;
  /** The parent's own: clone, outputs, hand-overs. Hidden from the agent. */
  readonly private: string;
  readonly clone: string;
  readonly outputs: string;
  /** Everything of the agent's, work folders included: nobody else works in there. */
  readonly agent: string;
  /** The agent's home and temporary folder. */
  readonly home: string;
  readonly temporary: string;
  /** Settings and rules that the agent reads and does not write. */
  readonly config: string;
}

/** Makes fresh folders for one attempt below `parent`, readable by this user alone. */
export async function makeFolders(parent: string): Promise<AttemptFolders> {
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(join(parent, 'ccd-attempt-'));
  const own = join(root, 'private');
  const agent = join(root, 'agent');
  const folders = {
    root,
    private: own,
    clone: join(own, 'clone.git'),
    outputs: join(own, 'outputs'),
    agent,
    home: join(agent, 'home'),
    temporary: join(agent, 'tmp'),
    config: join(agent, 'config'),
  };
  for (const folder of [own, folders.outputs, folders.home, folders.temporary, folders.config]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  return folders;
}
