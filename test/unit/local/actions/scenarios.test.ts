import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld, processesOf } from './support/actions-world.ts';

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  world.runner();
});
afterAll(() => world.close());

describe('a workflow run', () => {
  it('hands outputs from step to step and from job to job', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  first:
    runs-on: ubuntu-latest
    outputs:
      word: \${{ steps.make.outputs.word }}
    steps:
      - id: make
        run: |
          echo "word=hello" >> "$GITHUB_OUTPUT"
          echo "SEEN=yes" >> "$GITHUB_ENV"
          mkdir -p bin && printf '#!/bin/sh\\necho tool-ran' > bin/tool && chmod +x bin/tool
          echo "$PWD/bin" >> "$GITHUB_PATH"
          echo '# summary' >> "$GITHUB_STEP_SUMMARY"
      - run: test "$SEEN" = yes && tool && test "\${{ env.SEEN }}" = yes
  second:
    needs: first
    runs-on: [self-hosted, linux]
    steps:
      - run: echo "got=\${{ needs.first.outputs.word }}/\${{ needs.first.result }}"
`);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'second'))).toContain('got=hello/success');
    expect(logText(jobOf(run, 'first'))).toContain('tool-ran');
    expect(jobOf(run, 'first').summary).toBe('# summary\n');
    for (const job of currentJobs(run)) expect(processesOf(job)).toEqual([]);
  });
});
