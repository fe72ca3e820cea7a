import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { CcdError } from '../../domain/errors.ts';
import { type Rule, ruleSchema, type Verdict } from '../../domain/verdict.ts';
import { findWasm } from '../../facts/find-wasm.ts';
import { type JudgeRevisionsInput, judgeRevisions } from '../../facts/judge-revisions.ts';
import { localImage } from '../../facts/local-image.ts';
import { readBasePolicy } from '../../facts/read-base-policy.ts';
import { readSpecFile } from '../../facts/read-spec-file.ts';
import { findRevisions } from '../../facts/revisions.ts';
import { checkGit } from '../../git/check-git.ts';
import { loadParsers } from '../../guard/parse/load-parsers.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { openThrowaway } from '../throwaway.ts';

interface GuardOptions {
  readonly repo: string;
  readonly base: string;
  readonly head: string;
  readonly spec: string;
  readonly static?: boolean;
  readonly json?: boolean;
  readonly rules?: string;
}

/** `ccd guard`: judges two commits of any repository on this machine. Exit 0 pass, 1 fail or could-not-judge, 2 usage. */
export const guardCommand: CliCommand = {
  name: 'guard',
  register: (program: Command, io: CliIo) => {
    program
      .command('guard')
      .description('Judge the change between two commits of a local repository, as the app would.')
      .option('--repo <dir>', 'the repository; only its objects are read', '.')
      .requiredOption('--base <rev>', 'needed: the commit that the change starts from')
      .option('--head <rev>', 'the commit with the change', 'HEAD')
      .requiredOption(
        '--spec <file>',
        'needed: what should change, as an issue body in Markdown, or a spec in JSON',
      )
      .option('--static', 'execute nothing: rules R0 to R3 and R6 only')
      .option('--rules <list>', 'judge by these rules only, such as R0,R2,R4')
      .option('--json', 'print the verdict as one JSON document')
      .addHelpText('after', '\nExample:\n  ccd guard --repo ../shop --base main --head fix --spec task.md\n')
      .action((options: GuardOptions) => runGuard(options, io));
  },
};

async function runGuard(options: GuardOptions, io: CliIo): Promise<void> {
  const rules = rulesOf(options);
  await checkGit();
  // Executed tests live in process groups of their own: a signal has to reach them, too.
  const place = openThrowaway('ccd-guard-', process, () => undefined);
  try {
    await judge(options, rules, io);
  } finally {
    place.remove();
  }
}

async function judge(options: GuardOptions, rules: ReadonlySet<Rule>, io: CliIo): Promise<void> {
  const revisions = await findRevisions(resolve(io.cwd, options.repo), options.base, options.head);
  const { policy, digest } = await readBasePolicy(revisions);
  const spec = await readSpecFile(resolve(io.cwd, options.spec), policy);
  if (!revisions.headIsOnBase) {
    io.stderr('Warning: head does not descend from base; what base alone has looks removed.\n');
  }
  const input: JudgeRevisionsInput = {
    revisions,
    spec,
    policy,
    policyDigest: digest,
    parsers: await loadParsers(findWasm(dirname(fileURLToPath(import.meta.url)))),
    rules,
    env: io.env,
    runnerImage: localImage(),
    onProgress: ({ side, index, done, of }) => io.stderr(`${side} ${index} (${done} of ${of} runs done)\n`),
  };
  const verdict = await judgeRevisions(input);
  io.stdout(options.json ? `${JSON.stringify(document(verdict, rules))}\n` : plainText(verdict, rules));
  io.setExit(verdict.verdict === 'pass' ? 0 : 1);
}

function rulesOf(options: GuardOptions): ReadonlySet<Rule> {
  const named = options.rules === undefined ? ruleSchema.options : options.rules.split(',').map(ruleOf);
  const executed: readonly Rule[] = ['R4', 'R5'];
  const rules = named.filter((rule) => !(options.static && executed.includes(rule)));
  if (rules.length > 0) return new Set(rules);
  throw new CcdError({
    code: 'guard.rules',
    message: 'No rule is left to judge by.',
    remedy: 'R4 and R5 are judged by execution: leave --static away.',
    audience: 'operator',
  });
}

function ruleOf(text: string): Rule {
  const rule = ruleSchema.safeParse(text.trim());
  if (rule.success) return rule.data;
  throw new CcdError({
    code: 'guard.rules',
    message: `There is no rule ${JSON.stringify(text)}.`,
    remedy: `The rules are ${ruleSchema.options.join(', ')}.`,
    audience: 'operator',
  });
}

/** What is printed with `--json`: the verdict without what only the app counts, and the rules that it is a verdict by. */
function document({ verdict, key, findings, reason }: Verdict, rules: ReadonlySet<Rule>) {
  return { verdict, key, findings, reason, rules: [...rules].sort() };
}

function plainText({ verdict, findings, reason }: Verdict, rules: ReadonlySet<Rule>): string {
  const lines = findings.map(({ rule, class: kind, file, line, reason: why, remedy }) => {
    const place = file === null ? 'whole change' : line === null ? file : `${file}:${line}`;
    return `${rule} ${kind}  ${printable(place)}\n    ${printable(why)}\n    ${printable(remedy)}\n`;
  });
  const closing = reason === null ? '' : `${printable(reason)}\n`;
  const by = rules.size === ruleSchema.options.length ? '' : ` (by ${[...rules].sort().join(', ')} alone)`;
  return `${lines.join('')}${closing}guard: ${verdict}${by}\n`;
}

/** Text of the change and of its tests must not steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ');
}
