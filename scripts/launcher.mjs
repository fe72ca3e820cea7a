// Becomes dist/cli/ccd.mjs, what the installed `ccd` starts. The command line itself is imported only once this Node is known to
// understand it: an import that an older one lacks would end with a trace before any line of ours has run.
import { checkNode } from './check-machine.mjs';

// Beside this file in dist/cli.
const commandLine = './main.mjs';

checkNode();
await import(commandLine);
