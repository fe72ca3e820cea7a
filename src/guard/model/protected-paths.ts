/**
 * Patterns are matched against the path in lower case, so that no spelling for a case-blind file system slips by.
 * A pattern without a slash names a file (or, with a slash at its end, a folder) at any depth.
 */
export interface ProtectedGroup {
  /** Class of the finding, in the words of the guard's taxonomy. */
  readonly class: string;
  /** Which list of the spec's `allow` opens it; null: no task does, only a person's waiver. */
  readonly allow: 'manifests' | 'hooks' | 'generated' | null;
  readonly patterns: readonly string[];
}

function group(name: string, allow: ProtectedGroup['allow'], patterns: string): ProtectedGroup {
  return { class: name, allow, patterns: patterns.trim().split(/\s+/) };
}

/** In the order in which they are asked; the first group that names a path decides. */
export const protectedGroups: readonly ProtectedGroup[] = [
  group(
    'ci-workflow',
    null,
    `
    .github/ .gitlab/ .gitea/ .forgejo/ .circleci/ .buildkite/ .semaphore/ .woodpecker/ .tekton/ .ci/
    .gitlab-ci.y*ml *.gitlab-ci.y*ml jenkinsfile* azure-pipelines*.y*ml bitbucket-pipelines.y*ml
    .travis.y*ml appveyor.y*ml .appveyor.y*ml .drone.y*ml .woodpecker.y*ml .cirrus.y*ml cloudbuild.y*ml
    buildspec.y*ml action.yml action.yaml codecov.y*ml .codecov.y*ml mergify.y*ml .mergify.y*ml
    bors.toml renovate.json* .renovaterc* sonar-project.properties
    `,
  ),
  group(
    'guard-config-or-owners',
    null,
    `
    codeowners owners ccd.y*ml .ccd/ .guard.y*ml guard.y*ml
    `,
  ),
  group(
    'attributes-or-ignore',
    null,
    `
    .gitattributes .gitmodules .lfsconfig .gitconfig .git-blame-ignore-revs .git/
    `,
  ),
  group(
    'agent-instructions',
    null,
    `
    agents.md agents.override.md claude.md claude.local.md gemini.md copilot-instructions.md .claude/
    .cursor/ .cursorrules .windsurf/ .windsurfrules .clinerules* .roo/ .codex/ .gemini/ .aider*
    .continue/ .mcp.json mcp.json
    `,
  ),
  group(
    'git-hooks',
    null,
    `
    .husky/ .githooks/ githooks/ .pre-commit-config.y*ml .pre-commit-hooks.y*ml lefthook*.y*ml
    .lefthook*.y*ml .lefthook/ .overcommit.yml .lintstagedrc* lint-staged.config.*
    `,
  ),
  group(
    'autoloaded-hook',
    'hooks',
    `
    conftest.py sitecustomize.py usercustomize.py *.pth *.egg-link *.dist-info/ *.egg-info/
    pytest_plugins.py pytest_*.py __mocks__/ setuptests.* setup-tests.* test-setup.* testsetup.*
    vitest.setup.* vitest-setup.* setup.jest.* setupjest.* global-setup.* globalsetup.*
    global-teardown.* globalteardown.* mocha.setup.* cypress/support/ register.js register.mjs
    jest-environment* jest.environment* .noderc* spec_helper.rb rails_helper.rb test_helper.rb
    minitest_helper.rb *_plugin.rb env.rb spec/support/ test/support/*.rb .irbrc .pryrc
    tests/bootstrap.php test/bootstrap.php phpunit/bootstrap.php *bootstrap.php auto_prepend*.php
    .user.ini php.ini tests/pest.php export_test.go *_export_test.go testmain_test.go
    src/test/resources/ meta-inf/ globalusings.cs assemblyinfo.cs usings.cs moduleinitializer*.cs
    tests/common/ setup-files.* setupfiles.* test_setup.* tests/setup.* test/setup.*
    `,
  ),
  group(
    'lockfile-tampered',
    'manifests',
    `
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock* deno.lock poetry.lock
    pdm.lock uv.lock pipfile.lock pylock*.toml go.sum go.work.sum cargo.lock gradle.lockfile
    buildscript-gradle.lockfile verification-metadata.xml gemfile.lock gems.locked composer.lock
    packages.lock.json paket.lock package.resolved podfile.lock pubspec.lock mix.lock rebar.lock
    flake.lock stack.yaml.lock *.lock
    `,
  ),
  group(
    'dependency-swapped',
    'manifests',
    `
    package.json pnpm-workspace.yaml lerna.json deno.json* jsr.json bower.json import_map.json
    pyproject.toml requirements*.txt requirements/ constraints*.txt pipfile environment.y*ml go.mod
    go.work cargo.toml pom.xml build.gradle* settings.gradle* libs.versions.toml gradle/ .mvn/ mvnw*
    gradlew* build.sbt project/*.sbt ivy.xml gemfile *.gemspec gems.rb composer.json *.csproj *.fsproj
    *.vbproj *.sln *.slnx directory.build.* directory.packages.props *.props *.targets packages.config
    paket.dependencies nuget.config global.json package.swift podfile pubspec.y*ml mix.exs rebar.config
    *.cabal stack.yaml conanfile.* vcpkg.json flake.nix shell.nix default.nix dune-project *.opam
    `,
  ),
  group(
    'runner-config',
    'manifests',
    `
    jest.config.* jest-*.config.* jest.*.config.* vitest.config.* vitest.workspace.* vite.config.*
    .mocharc* mocha.opts ava.config.* karma.conf.* playwright*.config.* cypress.config.* cypress.json
    wdio.conf.* testcafe* .taprc .c8rc* .nycrc* nyc.config.* stryker.c* babel.config.* .babelrc* .swcrc
    jasmine.json web-test-runner.config.* bunfig.toml pytest.ini .pytest.ini pytest.toml tox.ini
    tox.toml noxfile.py setup.cfg .coveragerc coverage.toml nose.cfg .noserc nose2.cfg unittest.cfg
    mutmut_config.py hatch.toml .python-version .rspec* .minitest cucumber.y*ml .simplecov spring.rb
    phpunit*.xml* phpspec.y*ml behat.y*ml codeception*.y*ml infection.json* pest.php *.runsettings
    xunit.runner.json *.xunit.runner.json testng*.xml junit-platform.properties nextest.toml
    .config/nextest.toml tarpaulin.toml .tarpaulin.toml cargo-mutants.toml mutants.toml dredd.yml
    ginkgo.* gotestsum* stryker-config.json pitest* coverlet* nunit*.config .testcafe* jest.setup.*
    jest-setup.*
    `,
  ),
  group(
    'static-check-suppressed',
    'manifests',
    `
    tsconfig*.json jsconfig*.json .eslintrc* eslint.config.* .eslintignore biome.json* tslint.json
    .oxlintrc* .prettierrc* prettier.config.* .prettierignore .stylelintrc* .jshintrc knip.json*
    mypy.ini .mypy.ini ruff.toml .ruff.toml .flake8 .pylintrc pylintrc pyrightconfig.json .bandit
    .golangci.* staticcheck.conf clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml deny.toml
    rust-toolchain* checkstyle*.xml pmd*.xml spotbugs*.xml findbugs*.xml lombok.config .rubocop* .reek*
    sorbet/ phpstan* psalm*.xml* phpcs.xml* .phpcs.xml* phpmd.xml* .php-cs-fixer* rector.php
    .editorconfig .globalconfig *.ruleset stylecop.json detekt*.y*ml .scalafix.conf .credo.exs
    .swiftlint.y*ml analysis_options.yaml .hlint.yaml .clang-tidy dependency-cruiser*
    .dependency-cruiser* arch*.config.* .semgrep* .snyk .gitleaks* trivy*
    `,
  ),
  group(
    'vendored-or-generated-masking',
    'generated',
    `
    node_modules/ bower_components/ jspm_packages/ site-packages/ dist-packages/ .venv/ venv/
    virtualenv/ __pypackages__/ vendor/ third_party/ thirdparty/ external/ pods/ carthage/ dist/ build/
    out/ target/ bin/debug/ bin/release/ obj/ __pycache__/ .next/ .nuxt/ *.min.js *.min.mjs *.min.cjs
    *.min.css *.bundle.js *-bundle.js *.js.map *.mjs.map *.css.map *.pb.go *_pb2.py *_pb2_grpc.py
    *.pb.cc *.pb.h *.g.cs *.g.dart *.designer.cs *.generated.* *_generated.* *.gen.* *_gen.go
    zz_generated* generated/ __generated__/ .gen/ bindata.go *.pyc *.pyo *.class *.jar *.war *.dll *.so
    *.dylib *.exe *.wasm *.node *.phar
    `,
  ),
  group(
    'lifecycle-script',
    'manifests',
    `
    makefile* gnumakefile *.mk justfile taskfile*.y*ml rakefile guardfile capfile thorfile gulpfile.*
    gruntfile.* webpack*.config.* rollup.config.* esbuild.config.* tsup.config.* nx.json turbo.json
    project.json build.rs build.zig setup.py hatch_build.py build.xml cmakelists.txt *.cmake meson.build
    configure* build.bazel workspace.bazel module.bazel workspace .bazelrc buck sconstruct dockerfile*
    *.dockerfile containerfile* .dockerignore docker-compose* compose.y*ml compose.*.y*ml vagrantfile
    procfile* .devcontainer/ tiltfile .env .env.* .envrc .npmrc .yarnrc* .yarn/ .pnpmfile.* pnpmfile.*
    .pnp.* .nvmrc .node-version .ruby-version .java-version .php-version .tool-versions mise.toml
    .mise.toml .cargo/ .bundle/ pip.conf .pypirc .netrc gradle.properties .gitignore .npmignore .ignore
    .node_options sdkconfig* .sdkmanrc android.bp jitpack.yml .run/ .vscode/ .idea/ manifest.in
    `,
  ),
];
