import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

export const storyNames = ['fix', 'dependent', 'cheat', 'killed', 'invalid'] as const;
export type StoryName = (typeof storyNames)[number];

const storySchema = z.strictObject({
  story: z.enum(storyNames),
  title: z.string(),
  file: z.string(),
  dependsOn: z.enum(storyNames).nullable(),
});

export interface Story {
  readonly name: StoryName;
  readonly title: string;
  readonly body: string;
  readonly dependsOn: StoryName | null;
}

/** The five issues of the demonstration, in the order in which they are written. */
export async function readStories(root: string): Promise<Story[]> {
  const folder = join(root, 'fixtures', 'demo-issues');
  const listed = z.array(storySchema).parse(JSON.parse(await readFile(join(folder, 'stories.json'), 'utf8')));
  return Promise.all(
    listed.map(async ({ story, title, file, dependsOn }) => ({
      name: story,
      title,
      body: await readFile(join(folder, file), 'utf8'),
      dependsOn,
    })),
  );
}

/** How each story has to end for the demonstration to be right. */
export const expectedEnds: Record<StoryName, { readonly phase: string; readonly landed: boolean }> = {
  fix: { phase: 'landed', landed: true },
  dependent: { phase: 'landed', landed: true },
  cheat: { phase: 'halted', landed: false },
  killed: { phase: 'landed', landed: true },
  invalid: { phase: 'invalid', landed: false },
};
