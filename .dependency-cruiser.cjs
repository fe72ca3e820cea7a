// The arrows of docs/architecture.md: a level imports only levels above it.
const pure = ['domain', 'policy', 'spec', 'text', 'guard', 'landing', 'supervisor'];
const may = {
  domain: [],
  policy: ['domain'],
  spec: ['domain', 'policy'],
  text: ['domain', 'policy', 'spec'],
  guard: ['domain', 'policy', 'spec', 'text'],
  landing: ['domain', 'policy', 'spec', 'text'],
  supervisor: ['domain', 'policy', 'spec', 'text', 'guard', 'landing'],
  host: ['domain', 'policy', 'spec', 'text'],
  git: ['domain', 'policy', 'spec', 'text', 'guard/model', 'host'],
  github: ['domain', 'policy', 'spec', 'text'],
  facts: ['domain', 'policy', 'spec', 'text', 'guard', 'host', 'git', 'github', 'worker'],
  worker: ['domain', 'policy', 'spec', 'text', 'guard', 'host', 'git', 'github', 'facts'],
  local: ['domain', 'host', 'git'],
  app: ['domain', 'policy', 'spec', 'text', 'guard', 'landing', 'supervisor', 'host', 'git', 'github', 'facts', 'worker'],
  action: ['domain', 'policy', 'spec', 'text', 'guard', 'host', 'git', 'github', 'facts', 'worker'],
};

const arrows = Object.entries(may).map(([room, allowed]) => ({
  name: `arrows-${room}`,
  severity: 'error',
  comment: `${room} may import ${allowed.join(', ') || 'nothing of ours'}`,
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'pure-rooms',
      severity: 'error',
      comment: 'a pure room imports no node module but hashing and the arithmetic of paths',
      from: { path: `^src/(${pure.join('|')})/`, pathNot: '^src/guard/parse/load-parsers\\.ts$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|path)$' },
    },
    {
      name: 'local-is-nobodys',
      severity: 'error',
      comment: 'production code never knows the local GitHub; only the commands demo and local do',
      from: { path: '^src/', pathNot: '^src/(local/|cli/(demo|local)/|cli/commands/(demo|local)\\.ts$)' },
      to: { path: '^src/local/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      // A composite action runs steps and a step runs composite actions; an issue has a repository and a repository issues.
      from: { path: '^src/', pathNot: '^src/local/(actions/runner/(execute-step|run-action|run-composite)|graphql/(issue|repository)-node)\\.ts$' }, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js', '.json'] },
  },
};
