/** The one stylesheet: light and dark, from a phone's width on. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #f7f7f5; --sheet: #ffffff; --raised: #f2f2ef; --line: #dddcd7; --faint: #ecebe7;
  --ink: #1f2328; --soft: #63676d; --link: #0b57c4;
  --good: #1a7f4b; --bad: #c0362c; --warn: #9a6700; --done: #7446c4; --quiet: #6b7077;
  --add: #e3f5e8; --del: #fdeaea; --add-num: #cbebd4; --del-num: #f8d4d3; --hunk: #eef3fb;
  --log: #fbfbfa;
  --lane0: #2f6fd0; --lane1: #1a9463; --lane2: #b8601c; --lane3: #8a55cf; --lane4: #c2418a; --lane5: #3d8f9b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121416; --sheet: #191c1f; --raised: #20242880; --line: #32373c; --faint: #25292d;
    --ink: #e4e6e8; --soft: #9aa1a8; --link: #78adff;
    --good: #4cc38a; --bad: #ff7b72; --warn: #d6a13c; --done: #b190f5; --quiet: #98a0a8;
    --add: #12301f; --del: #3a1a1b; --add-num: #174229; --del-num: #522022; --hunk: #1c2633;
    --log: #15181a;
    --lane0: #6ea6ff; --lane1: #45c08c; --lane2: #e39a55; --lane3: #b48bf2; --lane4: #ee7ab6; --lane5: #63bfcc;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre, .oid, .source, .log { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.86em; }
pre code { font-size: 1em; }
time { white-space: nowrap; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--sheet); padding: 4px 8px; z-index: 1; }
.top { background: var(--sheet); border-bottom: 1px solid var(--line); }
.bar, .tabs, main, footer { max-width: 1180px; margin: 0 auto; padding-left: 20px; padding-right: 20px; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding-top: 12px; padding-bottom: 12px; }
.bar a { color: var(--ink); }
.home { font-weight: 600; letter-spacing: -0.01em; }
.sep { color: var(--soft); }
.repo { font-weight: 600; }
.tabs { display: flex; gap: 2px; overflow-x: auto; scrollbar-width: none; }
.tabs a { color: var(--soft); padding: 8px 12px; white-space: nowrap; border-bottom: 2px solid transparent; }
.tabs a:hover { color: var(--ink); text-decoration: none; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--link); font-weight: 550; }
main { padding-top: 24px; padding-bottom: 48px; }
footer { color: var(--soft); font-size: 13px; padding-top: 16px; padding-bottom: 32px; }
h1 { font-size: 1.6em; line-height: 1.25; font-weight: 600; letter-spacing: -0.015em; margin: 0 0 14px; }
h2 { font-size: 1.15em; font-weight: 600; margin: 24px 0 10px; }
.muted { color: var(--soft); font-weight: 400; }
.small { font-size: 13px; }
.break { word-break: break-all; }
.note { color: var(--soft); font-style: italic; }
.lead { font-size: 1.08em; margin: 0 0 12px; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 16px; color: var(--soft); }
.facts a { color: inherit; }
.facts strong { color: var(--ink); }
.count { display: inline-block; min-width: 20px; padding: 0 6px; border-radius: 10px; background: var(--faint); color: var(--soft); font-size: 12px; font-weight: 500; text-align: center; }
.pill { display: inline-block; padding: 0 8px; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); color: var(--soft); font-size: 12px; line-height: 20px; font-weight: 500; max-width: 100%; }
.label { display: inline-flex; align-items: center; gap: 5px; padding: 0 8px; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); color: var(--ink); font-size: 12px; line-height: 20px; vertical-align: 1px; max-width: 100%; }
.dot { width: 9px; height: 9px; flex: none; }
.badge { display: inline-block; padding: 2px 10px; border-radius: 12px; font-size: 13px; font-weight: 550; color: var(--sheet); background: var(--quiet); }
.badge.good { background: var(--good); } .badge.bad { background: var(--bad); } .badge.warn { background: var(--warn); } .badge.done { background: var(--done); }
.sign { display: inline-block; flex: none; width: 10px; height: 10px; border-radius: 50%; border: 2px solid var(--quiet); }
.sign.good { border-color: var(--good); background: var(--good); } .sign.bad { border-color: var(--bad); background: var(--bad); }
.sign.warn { border-color: var(--warn); } .sign.done { border-color: var(--done); background: var(--done); }
.person { color: var(--ink); font-weight: 550; }
.box { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 16px; overflow: hidden; }
.box > header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; padding: 8px 14px; background: var(--raised); border-bottom: 1px solid var(--line); font-size: 14px; }
.inside { padding: 14px; }
.inside > :first-child { margin-top: 0; }
.inside > :last-child { margin-bottom: 0; }
.rows { list-style: none; margin: 0; padding: 0; }
.rows.box { margin-bottom: 16px; }
.row { display: flex; align-items: center; gap: 10px; padding: 10px 14px; border-top: 1px solid var(--faint); }
.row:first-child { border-top: 0; }
.row .sign { align-self: flex-start; margin-top: 7px; }
.row > .sign:last-child { align-self: center; margin-top: 0; }
.grow { flex: 1; min-width: 0; }
.side { margin-left: auto; text-align: right; flex: none; max-width: 45%; }
.title { color: var(--ink); font-weight: 550; }
.title:hover { color: var(--link); }
.files .row { padding: 6px 14px; gap: 8px; }
.kind { width: 14px; color: var(--soft); flex: none; text-align: center; }
.empty { padding: 48px 16px; text-align: center; color: var(--soft); border: 1px dashed var(--line); border-radius: 8px; }
.empty h1 { color: var(--ink); }
.empty pre { display: inline-block; text-align: left; }
.filter { display: flex; flex-wrap: wrap; gap: 4px; margin: 0 0 14px; }
.filter a { padding: 4px 12px; border-radius: 14px; color: var(--soft); }
.filter a[aria-current] { background: var(--faint); color: var(--ink); font-weight: 550; }
.chips { list-style: none; display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 14px; padding: 0; max-width: 100%; }
.chips li { max-width: 100%; }
.chosen .label { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); }
.pager { display: flex; justify-content: space-between; align-items: center; margin: 0 0 16px; }
.head { border-bottom: 1px solid var(--line); margin-bottom: 18px; padding-bottom: 4px; }
.head h1 { margin-bottom: 8px; }
.head p { margin: 0 0 12px; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 280px; gap: 24px; }
.wide-column { min-width: 0; }
aside { min-width: 0; }
.fact { border-bottom: 1px solid var(--line); padding-bottom: 12px; margin-bottom: 12px; font-size: 14px; }
.fact h2 { font-size: 13px; color: var(--soft); margin: 0 0 6px; }
.fact p { margin: 0; }
.related { display: flex; gap: 8px; align-items: baseline; padding: 2px 0; }
.event { margin: 0 0 12px; padding-left: 14px; border-left: 2px solid var(--line); font-size: 14px; }
.comment:target { border-color: var(--link); }
.merge-box { border-left-width: 4px; }
.merge-box.good { border-left-color: var(--good); } .merge-box.bad { border-left-color: var(--bad); } .merge-box.done { border-left-color: var(--done); }
.box.bad > header { color: var(--bad); }
.markdown { line-height: 1.6; }
.markdown > :first-child { margin-top: 0; }
.markdown > :last-child { margin-bottom: 0; }
.markdown .h1 { font-size: 1.4em; border-bottom: 1px solid var(--faint); padding-bottom: 5px; }
.markdown .h2 { font-size: 1.2em; }
.markdown code { background: var(--faint); border-radius: 4px; padding: 1px 5px; }
.markdown ul, .markdown ol { padding-left: 1.6em; }
.markdown li > p { margin: 4px 0; }
.markdown blockquote { margin: 0 0 14px; padding: 0 14px; border-left: 3px solid var(--line); color: var(--soft); }
.markdown hr { border: 0; border-top: 1px solid var(--line); }
.markdown pre.code { background: var(--raised); border: 1px solid var(--faint); border-radius: 6px; padding: 10px 12px; overflow-x: auto; }
.markdown pre.code code { background: none; padding: 0; overflow-wrap: normal; white-space: pre; }
.dead-link { text-decoration: underline dotted var(--soft); }
.image { font-style: italic; }
.task { color: var(--soft); }
.wide { overflow-x: auto; margin: 0 0 14px; }
.wide > .cells { margin: 0; }
.cells { border-collapse: collapse; font-size: 14px; margin: 0 0 14px; }
.cells th, .cells td { border: 1px solid var(--line); padding: 5px 11px; text-align: left; vertical-align: top; overflow-wrap: normal; }
.cells .center { text-align: center; } .cells .right { text-align: right; }
.facts-table th { white-space: nowrap; font-weight: 550; }
.facts-table td { width: 100%; overflow-wrap: anywhere; }
pre { margin: 0 0 14px; }
.inside.muted { margin: 0; }
pre.plain { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
pre.message { margin: 0 0 12px; }
.crumbs { margin: 0 0 14px; }
.source { border-collapse: collapse; width: 100%; table-layout: fixed; line-height: 1.5; }
.source td { padding: 0; vertical-align: top; }
.source .num { width: 48px; padding: 0 8px 0 4px; text-align: right; color: var(--soft); user-select: none; font-size: 0.92em; }
.source .mark { width: 18px; text-align: center; color: var(--soft); user-select: none; }
.source .line { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 12px 0 4px; unicode-bidi: isolate; tab-size: 4; }
.source tr:target { background: var(--hunk); }
.added { background: var(--add); } .added .num { background: var(--add-num); }
.removed { background: var(--del); } .removed .num { background: var(--del-num); }
.hunk { background: var(--hunk); color: var(--soft); } .hunk .line { padding: 3px 12px 3px 4px; }
.source .note { font-size: 0.92em; }
details > summary { cursor: pointer; }
.diff > summary, .job > summary { padding: 9px 14px; background: var(--raised); font-size: 14px; }
.diff[open] > summary, .job[open] > summary { border-bottom: 1px solid var(--line); }
.diff .path { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em; font-weight: 550; }
.diff summary .side { float: right; }
.plus { color: var(--good); font-weight: 550; } .minus { color: var(--bad); font-weight: 550; }
.graph-list { list-style: none; padding: 0; }
.graph-list > li { display: flex; align-items: center; gap: 10px; height: 48px; padding: 0 14px 0 8px; overflow: hidden; }
.graph-list > li:hover { background: var(--raised); }
.cut { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.graph { flex: none; max-width: 40%; }
.lane { fill: none; stroke-width: 2; }
.knot { stroke: var(--sheet); stroke-width: 2; }
${['stroke', 'fill'].map((what) => [0, 1, 2, 3, 4, 5].map((n) => `${what === 'stroke' ? 'path' : 'circle'}.lane${n} { ${what}: var(--lane${n}); }`).join('\n')).join('\n')}
circle.merge { fill: var(--sheet); stroke: var(--soft); }
.steps { list-style: none; margin: 0 0 12px; padding: 0; }
.steps li { padding: 3px 0; }
.log { background: var(--log); border-top: 1px solid var(--line); padding: 8px 0; line-height: 1.5; }
.log .note { padding: 0 14px; }
.log-line { display: flex; padding: 0 14px 0 0; }
.log-line:hover { background: var(--faint); }
.log .num { flex: none; width: 58px; padding-right: 12px; text-align: right; color: var(--soft); user-select: none; }
.log .text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; unicode-bidi: isolate; }
.log summary { padding: 0 14px 0 44px; color: var(--soft); }
.tone-error { color: var(--bad); } .tone-warning { color: var(--warn); } .tone-notice { color: var(--link); } .tone-debug { color: var(--soft); }
.ansi0 { color: var(--soft); } .ansi1 { color: var(--bad); } .ansi2 { color: var(--good); } .ansi3 { color: var(--warn); } .ansi4 { color: var(--link); } .ansi5 { color: var(--done); } .ansi6 { color: var(--lane5); } .ansi7 { color: var(--ink); }
.ansi-bold { font-weight: 700; }
.annotations { list-style: none; margin: 0 0 12px; padding: 0; }
.annotations li { border-left: 3px solid var(--quiet); padding: 2px 0 2px 12px; margin-bottom: 12px; }
.annotations li.bad { border-color: var(--bad); } .annotations li.warn { border-color: var(--warn); }
.annotations .badge { font-size: 11px; padding: 0 7px; }
@media (max-width: 760px) {
  .bar, .tabs, main, footer { padding-left: 14px; padding-right: 14px; }
  .tabs { flex-wrap: wrap; }
  .tabs a { padding: 6px 9px; }
  .columns { grid-template-columns: minmax(0, 1fr); }
  .source .num { width: 36px; padding: 0 4px 0 0; }
  .source { font-size: 12px; }
  .log .num { width: 40px; padding-right: 8px; }
  .row { padding: 10px 12px; }
  h1 { font-size: 1.35em; }
}
`;
