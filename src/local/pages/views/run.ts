import type { Artifact } from '../../actions/artifacts/artifact-store.ts';
import type { JobRecord, RunRecord } from '../../actions/runs/records.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { logView } from '../log/log-view.ts';
import { markdown } from '../markdown.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { annotationList } from '../parts/annotations.ts';
import { person, verdictBadge, verdictSign } from '../parts/badges.ts';
import { lasting, when } from '../parts/time.ts';
import { shortLink } from '../parts/timeline.ts';

/** `/actions/runs/{id}`, `…/attempts/{n}`, `…/job/{id}`: jobs with steps and logs, artifacts. */
export function showRun({ store, repo, actions, params }: RepoVisit): View | null {
  const run = actions?.engine.runs.get(Number(params.id));
  if (actions === null || run?.repo !== repo) return null;
  const chosen = params.job === undefined ? null : run.jobs.find((job) => job.id === Number(params.job));
  if (chosen === undefined) return null;
  const attempt = Number(params.attempt ?? chosen?.attempt ?? run.attempt);
  if (!Number.isInteger(attempt) || attempt < 1 || attempt > run.attempt) return null;
  const jobs = run.jobs.filter((job) => job.attempt === attempt);
  const artifacts = actions.artifacts.ofRun(run).filter((one) => one.attempt === attempt);
  return repoPage(
    repo,
    'actions',
    `${run.displayTitle || run.workflow.name} #${run.runNumber}`,
    html`${runHead(run, attempt)}
${run.problems.length === 0 ? null : html`<section class="box bad"><header>The workflow file cannot be executed</header><div class="inside"><ul>${run.problems.map((problem) => html`<li>${problem}</li>`)}</ul></div></section>`}
${jobs.map((job) => jobBox(job, chosen === null ? jobs.length === 1 || job.conclusion === 'failure' : job === chosen))}
${artifactBox(run, artifacts, store.now())}`,
  );
}

function runHead(run: RunRecord, attempt: number): Html {
  const { cause, repo } = run;
  const attempts = Array.from({ length: run.attempt }, (_, index) => index + 1);
  return html`<header class="head"><h1><bdi>${run.displayTitle || run.workflow.name}</bdi> <span class="muted">#${run.runNumber}</span></h1>
<p>${verdictBadge(run)} <span class="muted"><a href="${links.blob(repo, cause.headSha, run.workflow.path)}"><bdi>${run.workflow.name}</bdi></a>: ${cause.event.replaceAll('_', ' ')} by ${person(run.actor.user)}, ${when(run.createdAt)}, on ${cause.headBranch === null ? null : html`<a class="pill" href="${links.tree(repo, cause.headBranch)}"><bdi>${cause.headBranch}</bdi></a> `}${shortLink(repo, cause.headSha)}</span></p>
${run.attempt === 1 ? null : html`<nav class="filter" aria-label="Attempt">${attempts.map((one) => html`<a href="${links.run(repo, run.id)}/attempts/${one}"${one === attempt ? html` aria-current="true"` : null}>Attempt ${one}</a>`)}</nav>`}</header>`;
}

function jobBox(job: JobRecord, open: boolean): Html {
  return html`<details class="box job" id="job-${job.id}"${open ? html` open` : null}><summary>${verdictSign(job)} <strong><bdi>${job.name}</bdi></strong> <span class="muted small">${lasting(job.startedAt, job.completedAt)}${job.runnerName === null ? null : html` on ${job.runnerName}`}</span></summary>
<div class="inside">${job.annotations.length === 0 ? null : annotationList(job.run.repo, job.run.cause.headSha, job.annotations)}
${job.steps.length === 0 ? html`<p class="muted">No steps yet.</p>` : html`<ol class="steps">${job.steps.map((step) => html`<li>${verdictSign(step)} <bdi>${step.name}</bdi> <span class="muted small">${lasting(step.startedAt, step.completedAt)}</span></li>`)}</ol>`}
${job.summary === '' ? null : html`<section class="box"><header>Summary</header><div class="inside">${markdown(job.summary, { repo: job.run.repo })}</div></section>`}</div>
${job.log.length === 0 ? null : logView(job.log)}</details>`;
}

function artifactBox(run: RunRecord, artifacts: readonly Artifact[], now: number): Html | null {
  if (artifacts.length === 0) return null;
  return html`<section class="box" id="artifacts"><header>Artifacts</header><ul class="rows">${artifacts.map(
    (one) => {
      const over = one.expiresAt <= now;
      const name = html`<bdi>${one.name}</bdi>`;
      return html`<li class="row"><div class="grow">${over ? name : html`<a href="${links.run(run.repo, run.id)}/artifacts/${one.id}">${name}</a>`}
<div class="muted small">${one.data.length} bytes${over ? ', expired' : null} <span class="oid break">${one.digest}</span></div></div></li>`;
    },
  )}</ul></section>`;
}
