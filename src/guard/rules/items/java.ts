import { childByField, findAll, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';
import { annotationNames, nameOf, other, type Shape } from './shape.ts';

const tests =
  /^(org\.junit\.(jupiter\.(api|params)\.)?)?(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Example|Theory)$/;
const hooks =
  /^(BeforeEach|AfterEach|BeforeAll|AfterAll|Before|After|BeforeClass|AfterClass|BeforeMethod|AfterMethod|BeforeTest|AfterTest|BeforeSuite|AfterSuite|RegisterExtension|Rule|ClassRule|Mock|InjectMocks|DataPoint|DataPoints|TempDir|Autowired)$/;

export function javaShape(file: ParsedFile, node: SyntaxNode): Shape {
  if (node.type === 'import_declaration') {
    const last = textOf(file, node).replace(/\s|;/g, '').split('.').at(-1) ?? '';
    return { kind: 'import', name: last, body: null, bound: last.startsWith('*') ? [] : [last] };
  }
  if (/^(class|record|interface|enum|annotation_type)_declaration$/.test(node.type))
    return classShape(file, node);
  if (node.type === 'method_declaration') return methodShape(file, node);
  if (node.type === 'field_declaration' || node.type === 'constant_declaration') {
    const bound = findAll(node, (each) => each.type === 'variable_declarator').map((each) =>
      nameOf(file, each),
    );
    const hook = annotations(file, node).some((name) => hooks.test(name));
    return { kind: hook ? 'hook' : 'declaration', name: bound[0] ?? '', body: null, bound };
  }
  if (
    /^(static_initializer|constructor_declaration|compact_constructor_declaration)$/.test(node.type) ||
    node.type === 'block'
  ) {
    return { ...other(), kind: 'hook', name: 'constructor' };
  }
  return other();
}

function annotations(file: ParsedFile, node: SyntaxNode): string[] {
  return annotationNames(file, node.children);
}

function classShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  const hasTests =
    body !== null &&
    findAll(body, (each) => each.type === 'method_declaration').some(
      (each) => methodShape(file, each).kind === 'test',
    );
  const container =
    body !== null &&
    (hasTests || /Tests?$|^Test|IT$|Spec$/.test(name) || annotations(file, node).includes('Nested'));
  return {
    kind: container ? 'container' : 'declaration',
    name,
    body: container ? body : null,
    bound: [name],
  };
}

function methodShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const given = annotations(file, node);
  if (given.some((each) => hooks.test(each)) || /^(setUp|tearDown|runTest|runBare)$/.test(name)) {
    return { kind: 'hook', name, body: null, bound: [name] };
  }
  const isTest = given.some((each) => tests.test(each)) || /^test[A-Z_0-9]/.test(name);
  return {
    kind: isTest ? 'test' : 'declaration',
    name,
    body: isTest ? childByField(node, 'body') : null,
    bound: [name],
  };
}
