#!/usr/bin/env node
// Stands where `claude` would in scenario tests: same arguments, input and stream. It does what the file CCD_AGENT_SCRIPT says:
// a JSON list of {path, find, put} | {path, append} | {path, write} | {sh} | {hold: file}.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const optionOf = (name) =>
  process.argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1) ??
  process.argv[process.argv.indexOf(name) + 1];
if (process.argv.includes('--version')) {
  console.log('0.0.0 (scenario agent)');
  process.exit(0);
}
const session_id = optionOf('--session-id') ?? randomUUID();
const emit = (event) => writeSync(1, `${JSON.stringify({ uuid: randomUUID(), session_id, ...event })}\n`);
readFileSync(0, 'utf8');
emit({
  type: 'system',
  subtype: 'init',
  cwd: process.cwd(),
  tools: ['Edit'],
  mcp_servers: [],
  model: 'scripted',
  permissionMode: 'dontAsk',
  slash_commands: [],
  apiKeySource: 'none',
  claude_code_version: '0.0.0',
});
const steps = JSON.parse(readFileSync(process.env.CCD_AGENT_SCRIPT, 'utf8'));
let turns = 0;
for (const step of steps) {
  turns += 1;
  const id = `tool_${turns}`;
  emit({
    type: 'assistant',
    message: {
      id: randomUUID(),
      model: 'scripted',
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Edit', input: {} }],
      usage: { input_tokens: 1, output_tokens: 1 },
      stop_reason: null,
    },
    parent_tool_use_id: null,
  });
  let said = 'done';
  if (step.sh !== undefined) said = spawnSync('sh', ['-c', step.sh], { encoding: 'utf8' }).stdout ?? '';
  else if (step.hold !== undefined) {
    writeFileSync(`${step.hold}.taken`, String(process.pid));
    while (existsSync(step.hold)) await pause(50);
  } else if (step.write !== undefined) {
    mkdirSync(dirname(step.path), { recursive: true });
    writeFileSync(step.path, step.write);
  } else {
    const before = readFileSync(step.path, 'utf8');
    writeFileSync(
      step.path,
      step.append !== undefined ? before + step.append : before.replace(step.find, () => step.put),
    );
  }
  emit({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: said.slice(0, 10_000), is_error: false }],
    },
    parent_tool_use_id: null,
  });
}
emit({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done as the script says.',
  num_turns: turns,
  duration_ms: 1,
  duration_api_ms: 1,
  usage: { input_tokens: 1, output_tokens: 1 },
  modelUsage: {},
  permission_denials: [],
  terminal_reason: 'completed',
  stop_reason: 'end_turn',
});
