import type { TaskKind } from '../../domain/spec.ts';
import type { FileChange } from '../model/change.ts';
import { dangerousWords } from './config-words.ts';
import { tomlEntries } from './toml-entries.ts';

/** What is wrong with the change of a manifest that the task opened: which keys changed that no task may change. */
export function brokenKeyRules(each: FileChange, _kind: TaskKind): string[] {
  const name = each.path.slice(each.path.lastIndexOf('/') + 1).toLowerCase();
  if (each.head === null) return [`${name} is removed.`];
  const base = each.base?.text ?? '';
  const head = each.head.text ?? '';
  if (name === 'package.json') return jsonRules(base, head, nodeKeys, nodeGroups);
  if (name === 'composer.json') return jsonRules(base, head, phpKeys, phpGroups);
  if (name === 'pyproject.toml') return tomlRules(base, head, pythonSections, pythonKeys);
  if (name === 'cargo.toml') return tomlRules(base, head, rustSections, rustKeys);
  if (name === 'go.mod')
    return lineRules(
      base,
      head,
      /^(module|go|toolchain|require)?\s*[\w./~-]*\s*\(?\)?\s*(v[\w.+-]+)?\s*(\/\/ indirect)?$/,
    );
  if (/\.(csproj|fsproj|vbproj|props|targets)$/.test(name) || name === 'packages.config')
    return lineRules(base, head, dotnetLine);
  if (name === 'pom.xml') return lineRules(base, head, mavenLine);
  if (/^(requirements|constraints).*\.txt$/.test(name)) return lineRules(base, head, pipLine);
  if (name === 'gemfile' || name === 'gems.rb') return lineRules(base, head, gemLine);
  return wordRules(base, head);
}

const about = [
  'version',
  'description',
  'keywords',
  'author',
  'contributors',
  'license',
  'homepage',
  'bugs',
  'repository',
];
const nodeKeys = new Set([...about, 'funding', 'private', 'engines']);
const nodeGroups = new Set(['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']);
const phpKeys = new Set([...about, 'authors', 'support']);
const phpGroups = new Set(['require', 'require-dev']);

/** A version range and nothing else: no alias, file, link, address or repository. */
const plainRange = /^[\s\dvxX*.^~<>=|&,+@a-zA-Z-]*$/;
const pointer = /[:/#]|^(latest|next|file|link|git)/;

function jsonRules(
  base: string,
  head: string,
  free: ReadonlySet<string>,
  groups: ReadonlySet<string>,
): string[] {
  const old = jsonObject(base === '' ? '{}' : base);
  const now = jsonObject(head);
  if (old === null || now === null)
    return ['The manifest is no JSON object that can be read with certainty.'];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => !same(old[key], now[key]),
  );
  return keys.flatMap((key) => {
    if (groups.has(key)) return dependencyRules(key, asObject(old[key]), asObject(now[key]));
    return free.has(key) ? [] : [`Key ${JSON.stringify(key)} of the manifest changes.`];
  });
}

function dependencyRules(
  group: string,
  old: Record<string, unknown>,
  now: Record<string, unknown>,
): string[] {
  return Object.entries(now)
    .filter(([name, range]) => !same(old[name], range))
    .filter(([, range]) => typeof range !== 'string' || !plainRange.test(range) || pointer.test(range))
    .map(([name]) => `${group} ${JSON.stringify(name)} points to something that is no version range.`);
}

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    // A key that stands twice would be read differently by different tools.
    const members = (text.match(/"(?:[^"\\]|\\.)*"\s*:/g) ?? []).length;
    return typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      countKeys(value) === members
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return own + Object.values(value).reduce((sum: number, member) => sum + countKeys(member), 0);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

const pythonSections =
  /^(dependency-groups|project\.optional-dependencies|tool\.poetry\.(dev-)?dependencies|tool\.poetry\.group\.[\w-]+\.dependencies)$/;
const pythonKeys =
  /^(project|tool\.poetry)\.(version|description|keywords|authors|maintainers|license|readme|urls|classifiers|dependencies|requires-python)$/;
const rustSections = /^(target\.[^.]+\.)?(dev-)?dependencies(\.[\w-]+)?$/;
const rustKeys =
  /^package\.(version|description|keywords|authors|license|readme|repository|homepage|categories|rust-version)$/;

function tomlRules(base: string, head: string, sections: RegExp, keys: RegExp): string[] {
  const old = tomlEntries(base);
  const now = tomlEntries(head);
  if (old === null || now === null) return ['The manifest cannot be read with certainty.'];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  return changed.flatMap((key) => {
    const section = key.slice(0, Math.max(0, key.lastIndexOf('\u{0}')));
    const name = key.replaceAll('\u{0}', '.');
    if (!sections.test(section) && !keys.test(name)) return [`Key ${name} of the manifest changes.`];
    return /\b(path|git|url|registry|package|branch|rev)\s*=|(file|git\+|https?):/.test(now.get(key) ?? '')
      ? [`${name} points to something that is no version range.`]
      : [];
  });
}

const dotnetLine =
  /^(<PackageReference Include="[\w.]+" Version="[\w.*[\](),-]+"\s*\/>|<package id="[\w.]+" version="[\w.-]+".*\/>|<\/?ItemGroup>|<Version>[\w.-]+<\/Version>)$/;
const mavenLine =
  /^<\/?(dependency|dependencies)>$|^<(version|groupId|artifactId)>[\w.${}-]+<\/\w+>$|^<scope>(compile|runtime|provided|test)<\/scope>$/;
const pipLine = /^([\w.-]+(\[[\w,-]+\])?\s*([=<>!~]=?\s*[\w.*]+\s*,?\s*)*(;.*)?|#.*)$/;
const gemLine = /^(gem ["'][\w-]+["'](,\s*["'][~<>=\s\d.]+["'])*|#.*)$/;

function lineRules(base: string, head: string, plain: RegExp): string[] {
  return changedLines(base, head)
    .filter((line) => !plain.test(line))
    .map((line) => `The line ${JSON.stringify(line.slice(0, 120))} of the manifest is more than a version.`);
}

/** Settings of tools have no keys we know by name; what is refused are words by which suites are cut down. */
function wordRules(base: string, head: string): string[] {
  return changedLines(base, head)
    .filter((line) => dangerousWords.test(line))
    .map((line) => `The setting ${JSON.stringify(line.slice(0, 120))} leaves tests out or lowers a bar.`);
}

/** Lines that one side has more often than the other, trimmed. */
function changedLines(base: string, head: string): string[] {
  const counts = new Map<string, number>();
  for (const line of base.split('\n')) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) - 1);
  for (const line of head.split('\n')) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return [...counts].filter(([line, count]) => count !== 0 && line !== '').map(([line]) => line);
}
