import { runCcd } from './ccd.ts';
import { batchCommand } from './commands/batch.ts';
import { classifyCommand } from './commands/classify.ts';
import { demoCommand } from './commands/demo.ts';
import { guardCommand } from './commands/guard.ts';
import { initCommand } from './commands/init.ts';
import { isolationCommand } from './commands/isolation.ts';
import { judgeTreesCommand } from './commands/judge-trees.ts';
import { localCommand } from './commands/local.ts';
import { serveCommand } from './commands/serve.ts';
import { specCommand } from './commands/spec.ts';
import { statusCommand } from './commands/status.ts';
import { processIo } from './process-io.ts';

declare const __CCD_VERSION__: string;

const commands = [
  demoCommand,
  initCommand,
  serveCommand,
  statusCommand,
  guardCommand,
  specCommand,
  localCommand,
  classifyCommand,
  isolationCommand,
  batchCommand,
  judgeTreesCommand,
];

await runCcd(process.argv.slice(2), commands, processIo(process), __CCD_VERSION__);
