import { argumentsOf, chainOf, isCall, stringValue } from '../../parse/call-chain.ts';
import { childByField, findAll, type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { rootItems } from '../items/item.ts';
import { type Signal, signal } from './signal.ts';

const builtins = new Set([
  ...[
    'Array',
    'Object',
    'String',
    'Number',
    'Boolean',
    'Function',
    'Symbol',
    'Promise',
    'Map',
    'Set',
    'RegExp',
    'Error',
    'Date',
    'Math',
  ],
  ...[
    'JSON',
    'Reflect',
    'Proxy',
    'globalThis',
    'global',
    'window',
    'console',
    'process',
    'performance',
    'assert',
    'expect',
  ],
  ...[
    'jest',
    'vi',
    'test',
    'it',
    'describe',
    'chai',
    'builtins',
    '__builtins__',
    'sys',
    'unittest',
    'pytest',
    'time',
    'datetime',
    'random',
  ],
  ...['Intl', 'Buffer', 'Atomics', 'BigInt', 'Iterator', 'setTimeout', 'require', 'module_constructor'],
]);

/** Classes and modules of Ruby and of its runners that code must not reopen. */
const rubyForeign =
  /^(Minitest|RSpec|Test|Object|BasicObject|Kernel|Module|Class|Comparable|Enumerable|String|Symbol|Integer|Float|Numeric|Array|Hash|Set|Struct|NilClass|TrueClass|FalseClass|Exception|StandardError|Time|Date|DateTime|Process|Random|Range|Regexp|Proc|Method|IO|File|Dir|ENV|GC|ObjectSpace)\b/;
const frameworks =
  /^(Xunit|NUnit|Microsoft\.VisualStudio\.TestTools|FluentAssertions|Moq|PHPUnit|Pest|org\.junit|org\.testng|org\.mockito|org\.hamcrest|org\.assertj)/;

/** Code that replaces members of objects it does not own: of test frameworks, of the language, of imported modules. */
export function patchSignals(file: ParsedFile): Signal[] {
  const imported = importedNames(file);
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    const what = patchedThing(file, node, imported);
    if (what !== null) found.push(signal(file, 'framework-patched', node, `replaces ${what}`));
  }
  return found;
}

/** Names bound by imports of modules that are not the repository's own. */
function importedNames(file: ParsedFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    for (const item of rootItems({ ...file, root: node })) {
      if (item.kind !== 'import') continue;
      const text = textOf(file, item.node);
      if (/['"]\.{1,2}\/|from\s+\./.test(text)) continue;
      for (const name of item.bound) names.add(name);
    }
  };
  visit(file.root);
  if (file.language === 'python') {
    for (const node of findAll(file.root, (each) => /^import(_from)?_statement$/.test(each.type))) {
      if (/from\s+\./.test(textOf(file, node))) continue;
      for (const each of findAll(node, (inner) => inner.type === 'identifier')) names.add(textOf(file, each));
    }
  }
  return names;
}

function patchedThing(file: ParsedFile, node: SyntaxNode, imported: ReadonlySet<string>): string | null {
  if (
    /^(assignment_expression|assignment|augmented_assignment_expression|assignment_statement|augmented_assignment|operator_assignment)$/.test(
      node.type,
    )
  ) {
    return assigned(file, node, imported);
  }
  if (isCall(node)) return calledPatch(file, node, imported);
  if (/^(class|module)$/.test(node.type) && node.named && file.language === 'ruby') {
    const name = childByField(node, 'name');
    const text = name === null ? '' : textOf(file, name);
    return rubyForeign.test(text) && childByField(node, 'superclass') === null ? `members of ${text}` : null;
  }
  if (node.type === 'macro_definition') {
    const name = childByField(node, 'name');
    const text = name === null ? '' : textOf(file, name);
    return /^(assert\w*|debug_assert\w*|panic|unreachable|vec|matches|println|format|todo)$/.test(text)
      ? `the macro ${text}!`
      : null;
  }
  if (
    /^(namespace_declaration|file_scoped_namespace_declaration|namespace_definition|package_declaration)$/.test(
      node.type,
    )
  ) {
    const text = textOf(file, node)
      .replace(/^(namespace|package)\s+/, '')
      .replaceAll('\\', '.');
    return frameworks.test(text) ? 'members of a test framework' : null;
  }
  return null;
}

function assigned(file: ParsedFile, node: SyntaxNode, imported: ReadonlySet<string>): string | null {
  const left = childByField(node, 'left') ?? node.children.find((child) => child.named);
  if (left === undefined || left === null) return null;
  const targets = /^(expression_list|pattern_list|left_assignment_list|tuple_pattern)$/.test(left.type)
    ? left.children.filter((child) => child.named)
    : [left];
  for (const target of targets) {
    const chain = chainOf(file, target);
    const root = chain[0] ?? '';
    if (chain.length < 2) continue;
    if (chain.join('.') === 'module.exports' || root === 'exports' || root === 'module') continue;
    if (/^(process|sys)$/.test(root) && /^(exitCode|title|dont_write_bytecode)$/.test(chain[1] ?? ''))
      continue;
    if (imported.has(root) || (builtins.has(root) && !isLocal(file, root))) return chain.join('.');
    if (chain.includes('prototype') && builtins.has(chain[0] ?? '')) return chain.join('.');
    if (chain.includes('__class__') || chain.includes('__proto__') || chain.includes('__code__'))
      return chain.join('.');
  }
  return null;
}

function isLocal(file: ParsedFile, name: string): boolean {
  return new RegExp(
    `\\b(const|let|var|def|class|function|self)\\s+${name}\\b|\\b${name}\\s*=[^=]|\\(([^()]*,\\s*)?${name}\\b[^()]*\\)\\s*(=>|\\{)`,
  ).test(file.text);
}

function calledPatch(file: ParsedFile, node: SyntaxNode, imported: ReadonlySet<string>): string | null {
  const chain = chainOf(file, node);
  const joined = chain.join('.');
  const [first, second] = argumentsOf(node);
  const subject = first === undefined ? '' : (chainOf(file, first)[0] ?? '');
  const foreign = imported.has(subject) || builtins.has(subject);
  if (
    /^(Object\.(assign|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(set|defineProperty|setPrototypeOf)|setattr|delattr)$/.test(
      joined,
    ) &&
    foreign
  )
    return `members of ${subject}`;
  if (
    /^sys\.modules\.(update|setdefault|pop)$|^(sys\.settrace|sys\.setprofile|threading\.settrace|sys\.meta_path\.\w+|gc\.get_objects|ctypes\.\w+|forbiddenfruit\.\w+)$/.test(
      joined,
    )
  )
    return joined;
  if (
    /\.(prepend|class_eval|module_eval|instance_eval|class_exec|refine|define_method|alias_method|define_singleton_method|remove_method|undef_method)$/.test(
      joined,
    ) &&
    rubyForeign.test(joined)
  )
    return joined;
  if (joined === 'refine' && first !== undefined && rubyForeign.test(textOf(file, first)))
    return textOf(file, first);
  if (
    /^(require\.cache|Module\._load|Module\._resolveFilename|module\.register|register)$/.test(joined) &&
    second !== undefined
  )
    return joined;
  if (/^(uopz_\w+|runkit7?_\w+|override_function|class_alias)$/.test(joined)) return joined;
  if (/setAccessible|TypedActor|RedefineMethod|Harmony\.Patch/.test(joined)) return joined;
  return first !== undefined &&
    joined === 'mock.patch' &&
    /^(pytest|unittest|_pytest)/.test(stringValue(file, first) ?? '')
    ? 'members of a test framework'
    : null;
}
