import { explainReason } from './reason-words.ts';

/** `{0}`, `{1}` stand for the arguments of the answer. */
const sentences: Record<string, string> = {
  cancelled: 'Cancelled.',
  held: 'Held. Label the issue again to go on.',
  unqueued: 'Taken out of the merge queue.',
  confirmed: 'Confirmed.',
  paused: 'Paused: nothing starts and nothing lands. Workers that are at work go on.',
  resumed: 'Resumed.',
  waived: 'Waived: one finding of {0}. The candidate is judged again.',
  queued: 'Queued: {0} and no other commit.',
  'no.unknown-verb': 'Known commands: queue, confirm, waive, unqueue, pause, resume, hold, cancel, status.',
  'no.takes-nothing': '"{0}" takes nothing more.',
  'no.write-queue': 'Write "/ccd queue" and the full commit id.',
  'no.write-confirm': 'Write "/ccd confirm" and the digest that was echoed.',
  'no.write-waive': 'Write "/ccd waive", the finding\'s fingerprint, and your reason.',
  'no.task': 'There is no task here that ccd works on.',
  'no.landed': 'It has landed.',
  'no.older': 'The label was set after that was said.',
  'no.confirmation': 'Nothing waits for a confirmation here.',
  'no.other-digest': 'That is not the digest of the echoed spec.',
  'no.meaning': 'That command has no meaning on this issue.',
  'no.control-issue': 'Pause and resume are said on the control issue.',
  'no.own-waiver': 'A waiver comes from somebody who neither wrote, edited nor labelled the issue.',
  'no.finding': 'No standing finding has that fingerprint.',
  'no.pull': 'Only a pull request can be queued.',
  'no.meaning-on-pull': 'That command has no meaning on a pull request.',
  'no.pull-closed': 'The pull request is closed or a draft.',
  'no.other-base': 'Its base is not trunk.',
  'no.other-head': 'Its head is {0}, which is not the commit that was named.',
  'no.own-branch': 'That branch belongs to ccd.',
};

/**
 * The sentences of an answer that the state keeps as a word. `back.<reason>` is what the author of a queued pull request is told when
 * its build did not land; its arguments are the commit and what the reason is of.
 */
export function explainAnswer(code: string, args: readonly string[]): string {
  if (code.startsWith('back.')) return handBack(code.slice('back.'.length), args);
  const sentence = (sentences[code] ?? code).replace(
    /\{(\d)\}/g,
    (_, place: string) => args[Number(place)] ?? '?',
  );
  return code.startsWith('no.') ? `Not done. ${sentence}` : sentence;
}

function handBack(reason: string, [commit = '', of = '']: readonly string[]): string {
  const { why } = explainReason({ code: reason, of: of === '' ? null : Number(of) }, 'held');
  return `Not landed, and taken out of the merge queue. ${why} When that is mended: /ccd queue ${commit}`;
}
