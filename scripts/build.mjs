// Bundles the command line and the action. `--check` fails when the committed action bundle is not what the sources give.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

// Probot declares `createRequire` itself: the banner's name is private.
const banner = `import { createRequire as __ccdRequire } from 'node:module';\nconst require = __ccdRequire(import.meta.url);`;

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  banner: { js: banner },
  define: { __CCD_VERSION__: JSON.stringify(version) },
};

const grammars = [
  'javascript',
  'typescript',
  'tsx',
  'python',
  'go',
  'rust',
  'java',
  'ruby',
  'php',
  'c-sharp',
];

/** Text of one bundle. */
async function bundle(entry) {
  const result = await build({ ...shared, entryPoints: [entry], write: false, outfile: 'out.mjs' });
  return result.outputFiles[0].text;
}

/** Has no banner and no newer syntax: a Node that is too old has to get as far as saying so. */
async function launcher() {
  const { banner: _, define: __, ...plain } = shared;
  const result = await build({
    ...plain,
    entryPoints: ['scripts/launcher.mjs'],
    write: false,
    outfile: 'out.mjs',
  });
  return result.outputFiles[0].text;
}

async function copyWasm(folder) {
  const runtime = require.resolve('web-tree-sitter/web-tree-sitter.wasm');
  await copyFile(runtime, join(folder, 'web-tree-sitter.wasm'));
  const wasm = dirname(require.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm'));
  for (const name of grammars) {
    await copyFile(join(wasm, `tree-sitter-${name}.wasm`), join(folder, `tree-sitter-${name}.wasm`));
  }
}

const actionFile = join(root, 'dist', 'action', 'main.mjs');
const action = await bundle('src/action/main.ts');
if (process.argv.includes('--check')) {
  const committed = await readFile(actionFile, 'utf8').catch(() => '');
  if (committed !== action) {
    process.stderr.write('dist/action is not what the sources give: run `npm run build` and commit it.\n');
    process.exit(1);
  }
} else {
  await mkdir(dirname(actionFile), { recursive: true });
  await writeFile(actionFile, action);
}
const cliFolder = join(root, 'dist', 'cli');
await mkdir(cliFolder, { recursive: true });
await copyWasm(cliFolder);
await writeFile(join(cliFolder, 'main.mjs'), await bundle('src/cli/main.ts'));
await writeFile(join(cliFolder, 'ccd.mjs'), `#!/usr/bin/env node\n${await launcher()}`, { mode: 0o755 });
