import { type Html, html } from '../html.ts';
import type { GraphRow } from './lanes.ts';

const STEP = 14;
const HEIGHT = 48;
/** Further lanes are not drawn: a phone has room for a few, a screen for these. */
const MAX_LANES = 16;
/** Colours that stand on light and on dark ground. */
const TONES = 6;

/** Lanes that a drawing of these rows needs. */
export const lanesOf = (rows: readonly GraphRow[]): number =>
  Math.min(
    MAX_LANES,
    Math.max(
      1,
      ...rows.flatMap((row) => [row.lane, ...row.below.map((edge) => edge.to)]).map((lane) => lane + 1),
    ),
  );

/** One row of the graph; rows stand on each other without a gap. */
export function graphSvg(row: GraphRow, lanes: number, merge: boolean): Html {
  const width = lanes * STEP + 4;
  const middle = HEIGHT / 2;
  const x = (lane: number): number => lane * STEP + STEP / 2 + 2;
  const curve = (from: number, fromY: number, to: number, toY: number, tone: number): Html => {
    const half = (fromY + toY) / 2;
    const d = `M${x(from)} ${fromY} C${x(from)} ${half} ${x(to)} ${half} ${x(to)} ${toY}`;
    return html`<path class="lane lane${tone % TONES}" d="${d}"/>`;
  };
  return html`<svg class="graph" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">
${row.above.map((edge) => curve(edge.from, 0, edge.to, middle, edge.from))}
${row.below.map((edge) => curve(edge.from, middle, edge.to, HEIGHT, edge.to))}
<circle class="knot lane${row.lane % TONES}${merge ? ' merge' : ''}" cx="${x(row.lane)}" cy="${middle}" r="${merge ? 4 : 5}"/></svg>`;
}
