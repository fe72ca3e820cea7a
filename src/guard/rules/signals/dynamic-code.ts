import { argumentsOf, chainOf, isCall, stringValue } from '../../parse/call-chain.ts';
import { type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { type Signal, signal } from './signal.ts';

const evaluators =
  /^(eval|exec|execfile|compile|__import__|builtins\.(eval|exec|compile|__import__)|Function|new Function|globalThis\.eval|window\.eval|vm\.(runIn\w+|Script|compileFunction)|setTimeout_string|create_function|assert_options|instance_eval|class_eval|module_eval|Kernel\.eval|binding\.eval|RubyVM\.\w+(\.\w+)*|CSharpScript\.\w+|Assembly\.Load(From|File)?|plugin\.Open|marshal\.loads|pickle\.loads|types\.(FunctionType|CodeType)|ScriptEngine\w*(\.\w+)*|Unsafe\.\w+)$/;
const loaders =
  /^(importlib\.(import_module|reload)|import|require|require_relative|load|Class\.forName|Type\.GetType|Activator\.CreateInstance|include|Object\.const_get|const_get|public_send|send|__send__|getattr|Method\.invoke|call_user_func(_array)?)$/;
const decoders =
  /base64|b64decode|atob|fromCharCode|unhexlify|fromhex|decode64|unpack|rot13|codecs\.decode|FromBase64String|Base64|decompress|inflate|fromCodePoint|chr\(|\.reverse\(|\[::-1\]/;

/** Code that runs code which cannot be read: evaluated text, decoded text, modules by names that are put together. */
export function dynamicCodeSignals(file: ParsedFile): Signal[] {
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    if (
      /^(include_expression|require_expression|require_once_expression|include_once_expression)$/.test(
        node.type,
      ) &&
      /base64|data:|php:\/\/|eval/.test(textOf(file, node))
    ) {
      found.push(signal(file, 'dynamic-code', node, 'loads code from a text'));
    }
    if (isCall(node) && runsText(file, node))
      found.push(signal(file, 'dynamic-code', node, 'runs code that cannot be read here'));
  }
  return found;
}

function runsText(file: ParsedFile, node: SyntaxNode): boolean {
  const chain = chainOf(file, node);
  const joined = chain.join('.').replace(/^\\/, '');
  const [first] = argumentsOf(node);
  if (evaluators.test(joined) || /\.(constructor\.constructor)$/.test(joined))
    return (
      !(/^(compile|exec)$/.test(joined) && !/^(python|php)$/.test(file.language)) &&
      !(joined === 'compile' && file.language === 'php')
    );
  if (/\.(instance_eval|class_eval|module_eval)$/.test(joined)) return first !== undefined;
  if (!loaders.test(joined) || first === undefined) return false;
  const value = stringValue(file, first);
  if (value !== null || first.children.length === 0) return false;
  return decoders.test(textOf(file, first)) || /binary|concat|template|array|interpolat/.test(first.type);
}
