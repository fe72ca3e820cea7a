import { argumentsOf, chainOf, isCall } from '../../parse/call-chain.ts';
import {
  ancestors,
  childByField,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { numberValue } from '../tests/literals.ts';
import { type Signal, signal } from './signal.ts';

const exits =
  /^(process\.(exit|reallyExit|abort|kill)|Deno\.exit|sys\.exit|os\._exit|os\.abort|os\.kill|_exit|exit|quit|exit!|abort|Process\.exit!?|Kernel\.exit!?|os\.Exit|syscall\.Exit|log\.Fatal|System\.exit|Runtime\.getRuntime\.(exit|halt)|Environment\.(Exit|FailFast)|Process\.GetCurrentProcess\.Kill|std\.process\.(exit|abort)|process\.exit|process\.abort|die|posix_kill|goexit|runtime\.Goexit)$/;
const handlers =
  /^(atexit\.register|at_exit|register_shutdown_function|process\.(on|once|addListener|prependListener)|Runtime\.getRuntime\.addShutdownHook|signal\.signal|set_error_handler|set_exception_handler|std\.panic\.set_hook|panic\.set_hook|AppDomain\.CurrentDomain\.\w+)$/;

/** Code that ends the process: with success, while it is being loaded, or from a handler that runs at its end. */
export function exitSignals(file: ParsedFile, path: string): Signal[] {
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    if (isCall(node)) found.push(...callSignals(file, path, node));
    else if (
      node.type === 'raise_statement' &&
      /\bSystemExit\b|KeyboardInterrupt/.test(textOf(file, node)) &&
      !inMain(file, path, node)
    ) {
      found.push(signal(file, 'exit-zero', node, 'ends the process'));
    } else if (/^(exit_statement|exit_intrinsic)$/.test(node.type))
      found.push(signal(file, 'exit-zero', node, 'ends the process'));
    else if (
      /^(attribute|member_expression|member_access_expression|selector_expression)$/.test(node.type) &&
      !isCallee(node)
    ) {
      const chain = chainOf(file, node).join('.');
      if (
        /^(os\._exit|process\.(exit|reallyExit)|os\.Exit|sys\.exit|process\.exitCode|sys\.excepthook|threading\.excepthook)$/.test(
          chain,
        )
      ) {
        found.push(signal(file, 'exit-zero', node.parent ?? node, `passes ${chain} around or sets it`));
      }
    }
    if (node.type === 'attribute' && /ModuleInitializer/.test(textOf(file, node))) {
      found.push(signal(file, 'exit-zero', node, 'runs when the module is loaded'));
    }
  }
  return found;
}

function isCallee(node: SyntaxNode): boolean {
  const parent = node.parent;
  return (
    parent !== null &&
    ((isCall(parent) && parent.children[0] === node) ||
      /member_expression|attribute|selector/.test(parent.type))
  );
}

function callSignals(file: ParsedFile, path: string, node: SyntaxNode): Signal[] {
  const chain = chainOf(file, node).join('.').replace(/^\\/, '');
  if (handlers.test(chain)) return handlerSignals(file, node, chain);
  if (!exits.test(chain)) return [];
  const [code] = argumentsOf(node);
  const value = code === undefined ? 0 : numberValue(textOf(file, code));
  const zero =
    value === 0 || (code !== undefined && /^(true|None|nil|null|false|undefined)$/i.test(textOf(file, code)));
  const always = /abort|_exit|reallyExit|halt|kill|exit!|Goexit|FailFast/i.test(chain);
  if (inMain(file, path, node))
    return zero && always ? [signal(file, 'exit-zero', node, 'ends the process at once')] : [];
  if (zero || always) return [signal(file, 'exit-zero', node, 'ends the process with success')];
  return runsOnLoad(file, node)
    ? [signal(file, 'exit-zero', node, 'ends the process while it is being loaded')]
    : [];
}

function handlerSignals(file: ParsedFile, node: SyntaxNode, chain: string): Signal[] {
  const text = textOf(file, node);
  const fatal = /\b(exit|_exit|halt|kill|abort|exitCode|Exit)\b/.test(text.slice(chain.length - 4));
  const named =
    /^process\./.test(chain) && /['"](exit|beforeExit|uncaughtException|unhandledRejection)['"]/.test(text);
  const silent = /set_error_handler|set_exception_handler|set_hook/.test(chain);
  return fatal || named || silent
    ? [signal(file, 'exit-zero', node, 'runs something when the process ends or fails')]
    : [];
}

/** The entry point of a program, where ending the process is its business. */
function inMain(file: ParsedFile, path: string, node: SyntaxNode): boolean {
  for (const parent of ancestors(node)) {
    const name = childByField(parent, 'name');
    if (
      name !== null &&
      /^(main|Main|run_main|cli)$/.test(textOf(file, name)) &&
      /function|method/.test(parent.type)
    )
      return true;
    const condition = childByField(parent, 'condition');
    if (
      condition !== null &&
      /__name__|__FILE__|\$0\b|\$PROGRAM_NAME|require\.main|import\.meta\.(main|url|filename)/.test(
        textOf(file, condition),
      )
    )
      return true;
  }
  return (
    /(^|\/)(bin|cli|cmd|scripts?|exe)\/|(^|\/)(__main__|cli|main|bin)\.\w+$/.test(path) ||
    file.text.startsWith('#!')
  );
}

function runsOnLoad(file: ParsedFile, node: SyntaxNode): boolean {
  for (const parent of ancestors(node)) {
    const name = childByField(parent, 'name');
    if (/function|method|lambda|arrow|func_literal|closure|do_block|constructor/.test(parent.type))
      return name !== null && textOf(file, name) === 'init';
  }
  return true;
}
