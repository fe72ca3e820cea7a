import type { BypassActor, Ruleset } from '../../records/ruleset.ts';
import type { Store } from '../../store.ts';
import { type Html, html, type Piece } from '../html.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { when } from '../parts/time.ts';

/** `/settings/rules` and `/rules/{id}`: rulesets, to read. */
export function showRules({ store, repo, params }: RepoVisit): View | null {
  const all = [...repo.rulesets.values()];
  const shown = params.id === undefined ? all : all.filter((one) => one.id === Number(params.id));
  if (params.id !== undefined && shown.length === 0) return null;
  const body = html`<h1>Rulesets</h1>${shown.length === 0 ? html`<div class="empty"><p>No rulesets: whoever may write moves every branch.</p></div>` : shown.map((one) => box(store, one))}`;
  return repoPage(repo, 'rules', `Rules of ${repo.owner.login}/${repo.name}`, body);
}

function box(store: Store, ruleset: Ruleset): Html {
  const names = (patterns: readonly string[]): Piece =>
    patterns.length === 0
      ? html`<span class="muted">none</span>`
      : patterns.map((one) => html`<code>${one}</code> `);
  return html`<section class="box" id="ruleset-${ruleset.id}"><header><strong><bdi>${ruleset.name}</bdi></strong> <span class="pill">${ruleset.target}</span> <span class="pill">${ruleset.enforcement}</span> <span class="muted">changed ${when(ruleset.updatedAt)}</span></header>
<div class="inside"><table class="cells facts-table"><tbody>
<tr><th>Holds for</th><td>${names(ruleset.include)}</td></tr>
<tr><th>Except</th><td>${names(ruleset.exclude)}</td></tr>
<tr><th>Bypass</th><td>${ruleset.bypassActors.length === 0 ? html`<span class="muted">nobody</span>` : ruleset.bypassActors.map((actor) => html`<div>${bypassName(store, actor)}</div>`)}</td></tr>
${ruleset.rules.map((rule) => html`<tr><th>${rule.type.replaceAll('_', ' ')}</th><td>${rule.parameters === undefined ? html`<span class="muted">–</span>` : html`<pre class="plain">${JSON.stringify(rule.parameters, null, 2)}</pre>`}</td></tr>`)}
</tbody></table></div></section>`;
}

function bypassName(store: Store, actor: BypassActor): string {
  const app = actor.actor_type === 'Integration' ? store.apps.get(actor.actor_id ?? 0) : undefined;
  const who = app === undefined ? `${actor.actor_type} ${actor.actor_id ?? ''}`.trim() : `app ${app.name}`;
  return `${who} (${actor.bypass_mode})`;
}
