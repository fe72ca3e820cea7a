import { argumentsOf, chainOf, isCall, stringValue } from '../../parse/call-chain.ts';
import {
  childByField,
  isComment,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { type Signal, signal } from './signal.ts';

const runners = new Set([
  ...[
    'pytest',
    'unittest',
    'doctest',
    'jest',
    'vitest',
    'mocha',
    'jasmine',
    'karma',
    'cypress',
    'playwright',
    'ava',
    'qunit',
    'testcafe',
  ],
  ...[
    'phpunit',
    'codeception',
    'behat',
    'pest',
    'rspec',
    'minitest',
    'cucumber',
    'xunit',
    'nunit',
    'mstest',
    'junit',
    'testng',
    'surefire',
  ],
  ...[
    'failsafe',
    'testcase',
    'testrunner',
    'testhost',
    'nose',
    'nosetests',
    'nextest',
    'ginkgo',
    'testify',
    'autotest',
    'isundertest',
    'undertest',
  ],
  ...['istest', 'intest', 'istesting', 'conftest', 'stryker', 'mutmut', 'tox'],
]);
const envWords = new Set([
  ...runners,
  'test',
  'tests',
  'testing',
  'ci',
  'tap',
  'spec',
  'continuous',
  'github',
  'gitlab',
  'jenkins',
  'travis',
  'buildkite',
  'runner',
  'actions',
  'build',
  'coverage',
]);

/** Words of an identifier or text: split at signs, digits and changes of letter case, in lower case. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return spaced
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** Answers by text: a file says the same few names again and again. */
type NamesRunner = (text: string) => boolean;

function rememberedNames(): NamesRunner {
  const known = new Map<string, boolean>();
  return (text) => {
    const found = known.get(text) ?? namesRunner(text);
    known.set(text, found);
    return found;
  };
}

function namesRunner(text: string): boolean {
  const words = wordsOf(text);
  if (words.some((word) => runners.has(word))) return true;
  const joined = text.toLowerCase();
  if (runners.has(joined.replace(/[^a-z]/g, ''))) return true;
  if (
    /node_test_context|php_?unit|__vitest|import\.meta\.vitest|under_?test|is_?testing|running_?tests?|in_?test_?mode|test\.v\b/.test(
      joined,
    )
  )
    return true;
  // Names put together from pieces or turned round still hold their letters.
  const reversed = [...joined].reverse().join('');
  return joined.length <= 40 && [...runners].some((word) => word.length > 4 && reversed === word);
}

/** Code that finds out whether a test is running: names of runners, environment, call stack, command line. */
export function testDetectionSignals(file: ParsedFile): Signal[] {
  const found: Signal[] = [];
  const names = rememberedNames();
  for (const node of walk(file.root)) {
    if (isComment(node) || inDocstring(node)) continue;
    const what = detection(file, node, names);
    if (what !== null)
      found.push(signal(file, /stack/.test(what) ? 'stack-walk' : 'test-detection', node, what));
  }
  return found;
}

function inDocstring(node: SyntaxNode): boolean {
  return node.type === 'string' && node.parent?.type === 'expression_statement';
}

const stackApis =
  /^(inspect\.(stack|currentframe|getouterframes|trace)|sys\._getframe|sys\._current_frames|traceback\.(extract_stack|format_stack|walk_stack)|runtime\.(Caller|Callers|CallersFrames|Stack)|debug\.(Stack|PrintStack)|Error\.captureStackTrace|Thread\.currentThread\.getStackTrace|StackWalker\.getInstance(\.\w+)*|caller|caller_locations|Kernel\.caller|binding\.\w+|debug_backtrace|debug_print_backtrace|new StackTrace|StackTrace|Environment\.StackTrace|MethodBase\.GetCurrentMethod|Assembly\.(GetCallingAssembly|GetEntryAssembly)|AppDomain\.CurrentDomain\.GetAssemblies|std\.backtrace\.\w+\.\w+|Backtrace\.\w+|get_included_files|get_declared_classes)$/;

function detection(file: ParsedFile, node: SyntaxNode, names: NamesRunner): string | null {
  if (node.children.length === 0 && /identifier|^name$|constant/.test(node.type)) {
    if (file.language === 'ruby' && /^caller(_locations)?$/.test(textOf(file, node)))
      return 'looks at the call stack';
    return names(textOf(file, node)) ? `names a test runner (${textOf(file, node)})` : null;
  }
  const value = /string|template/.test(node.type) ? stringValue(file, node) : null;
  if (value !== null) return value.length < 200 && names(value) ? 'names a test runner in a text' : null;
  if (isCall(node) || /member|attribute|selector|field_access/.test(node.type)) {
    const joined = chainOf(file, node).join('.').replace(/^\\/, '');
    if (isCall(node) && stackApis.test(joined)) return 'looks at the call stack';
    if (
      /^(Environment\.StackTrace)$/.test(joined) ||
      (/\.stack$/.test(joined) && /\bnew Error\b|<new>|Error/.test(textOf(file, node)))
    )
      return 'looks at the call stack';
    if (/^(testing\.Testing|flag\.Lookup)$/.test(joined)) return 'asks whether a test runs';
  }
  return environment(file, node) ?? comparison(file, node) ?? attribute(file, node);
}

/** Reads of the environment whose key speaks of tests or build machines, or is put together. */
function environment(file: ParsedFile, node: SyntaxNode): string | null {
  const key = environmentKey(file, node);
  if (key === null) return null;
  if (key === '') return 'reads the environment by a name that is put together';
  return wordsOf(key).some((word) => envWords.has(word)) ? `reads ${key} from the environment` : null;
}

const environments =
  /^(process\.env|os\.environ|environ|ENV|\$_ENV|\$_SERVER|import\.meta\.env|Deno\.env|Bun\.env)$/;

/** The key that is read; empty when it is computed; null when the node reads no environment. */
function environmentKey(file: ParsedFile, node: SyntaxNode): string | null {
  if (isCall(node)) {
    const chain = chainOf(file, node).join('.');
    const reads =
      /^((os\.environ|environ|ENV|Deno\.env)\.(get|fetch|has|key\?|setdefault|pop|dig|include\?)|os\.getenv|getenv|os\.Getenv|os\.LookupEnv|System\.getenv|System\.getProperty|std\.env\.var(_os)?|env\.var(_os)?|Environment\.GetEnvironmentVariable|option_env|env|option_env!|env!)$/.test(
        chain,
      );
    return reads ? keyOf(file, argumentsOf(node)[0] ?? null, node) : null;
  }
  if (/^(member_expression|subscript_expression|subscript|element_reference)$/.test(node.type)) {
    const root = node.children[0];
    if (root === undefined || !environments.test(chainOf(file, root).join('.'))) return null;
    const property = childByField(node, 'property');
    return property !== null
      ? textOf(file, property)
      : keyOf(file, node.children.slice(1).find((child) => child.named) ?? null, node);
  }
  if (node.type === 'object_pattern' && node.parent !== null) {
    const value = childByField(node.parent, 'value');
    return value !== null && environments.test(chainOf(file, value).join('.')) ? textOf(file, node) : null;
  }
  return null;
}

function keyOf(file: ParsedFile, key: SyntaxNode | null, node: SyntaxNode): string | null {
  if (key === null) return node.type === 'macro_invocation' ? textOf(file, node) : null;
  const value = stringValue(file, key);
  if (value !== null) return value;
  return /binary|template|concat|call/.test(key.type) || isCall(key) ? '' : textOf(file, key);
}

/** Comparisons of a mode of running with the word test; looks at the command line for it. */
function comparison(file: ParsedFile, node: SyntaxNode): string | null {
  if (
    !/^(binary_expression|comparison_operator|binary|binary_operator|call_expression|call|invocation_expression|method_invocation|infix_expression|switch_case)$/.test(
      node.type,
    )
  )
    return null;
  const text = textOf(file, node);
  if (text.length > 300) return null;
  const mode =
    /NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|DJANGO|ENVIRONMENT|MODE\b|Rails\.env/i.test(text) &&
    /['":.]test(ing)?\b/i.test(text);
  const commandLine =
    /\b(sys\.argv|process\.(argv|execArgv|title|mainModule)|os\.Args|ARGV|\$argv|\$0|PROGRAM_NAME|std::env::args|env::args|current_exe|GetCommandLineArgs|ProcessName|__main__|sun\.java\.command)\b/.test(
      text,
    ) && /test|spec|\.v\b/i.test(text.replace(/latest|contest|inspect/gi, ''));
  if (mode) return 'asks whether it runs as a test';
  return commandLine ? 'looks for a test run on the command line' : null;
}

function attribute(file: ParsedFile, node: SyntaxNode): string | null {
  if (!/^(attribute_item|macro_invocation|preproc_if|preproc_elif)$/.test(node.type)) return null;
  const text = textOf(file, node).slice(0, 200).replace(/\s+/g, '');
  if (/^(#!?\[cfg(_attr)?\(|cfg!\()(not\(|any\(|all\()*test\b/.test(text) && !/^#\[cfg\(test\)\]$/.test(text))
    return 'is compiled differently for tests';
  return /^cfg!\(.*\b(test|debug_assertions)\b/.test(text) ? 'is compiled differently for tests' : null;
}
