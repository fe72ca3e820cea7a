import { childByField, findAll, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';
import { annotationNames, nameOf, other, type Shape } from './shape.ts';

const tests =
  /^(Xunit\.)?(Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Property|SkippableFact|Benchmark)(Attribute)?$/;
const hooks =
  /^(SetUp|TearDown|OneTimeSetUp|OneTimeTearDown|TestInitialize|TestCleanup|ClassInitialize|ClassCleanup|AssemblyInitialize|ModuleInitializer)(Attribute)?$/;

export function csharpShape(file: ParsedFile, node: SyntaxNode): Shape {
  if (node.type === 'using_directive') return imports(file, node);
  if (node.type === 'namespace_declaration') {
    return { kind: 'container', name: nameOf(file, node), body: childByField(node, 'body'), bound: [] };
  }
  if (/^(class|record|struct|interface|enum|record_struct)_declaration$/.test(node.type))
    return classShape(file, node);
  if (node.type === 'method_declaration') return methodShape(file, node);
  if (/^(constructor|destructor|operator|conversion_operator|indexer)_declaration$/.test(node.type)) {
    return { ...other(), kind: 'hook', name: 'constructor' };
  }
  if (/^(field|property|event_field|delegate)_declaration$/.test(node.type)) {
    const named = findAll(node, (each) => each.type === 'variable_declarator').map((each) =>
      nameOf(file, each),
    );
    const bound = named.length > 0 ? named : [nameOf(file, node)];
    return { kind: 'declaration', name: bound[0] ?? '', body: null, bound };
  }
  return other();
}

function imports(file: ParsedFile, node: SyntaxNode): Shape {
  const text = textOf(file, node);
  const alias = /using\s+(\w+)\s*=/.exec(text)?.[1];
  return { kind: 'import', name: text, body: null, bound: alias === undefined ? [] : [alias] };
}

function classShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  const hasTests =
    body !== null &&
    findAll(body, (each) => each.type === 'method_declaration').some(
      (each) => methodShape(file, each).kind === 'test',
    );
  const container = body !== null && (hasTests || /Tests?$|Fixture$|Spec$/.test(name));
  return {
    kind: container ? 'container' : 'declaration',
    name,
    body: container ? body : null,
    bound: [name],
  };
}

function methodShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const given = annotationNames(file, node.children);
  if (
    given.some((each) => hooks.test(each)) ||
    /^(Dispose|DisposeAsync|InitializeAsync|Finalize)$/.test(name)
  ) {
    return { kind: 'hook', name, body: null, bound: [name] };
  }
  const isTest = given.some((each) => tests.test(each));
  return {
    kind: isTest ? 'test' : 'declaration',
    name,
    body: isTest ? childByField(node, 'body') : null,
    bound: [name],
  };
}
