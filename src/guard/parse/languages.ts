/** Languages whose syntax trees the guard reads; each name is that of its grammar file. */
export const languages = [
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
] as const;
export type Language = (typeof languages)[number];

const byExtension: Readonly<Record<string, Language>> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  rb: 'ruby',
  rake: 'ruby',
  ru: 'ruby',
  php: 'php',
  phtml: 'php',
  cs: 'c-sharp',
};

/** Language of a path by its extension, letter case ignored; null when the guard has no grammar for it. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? null : (byExtension[name.slice(dot + 1).toLowerCase()] ?? null);
}

export type Family = 'js' | 'python' | 'go' | 'rust' | 'java' | 'ruby' | 'php' | 'csharp';

/** Languages that share their rules. */
export function familyOf(language: Language): Family {
  if (language === 'javascript' || language === 'typescript' || language === 'tsx') return 'js';
  return language === 'c-sharp' ? 'csharp' : language;
}
