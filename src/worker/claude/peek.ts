import type { Usage } from './events.ts';
import { eachField, eachItem, isWord, shortText, skipValue, wordOf } from './json-scan.ts';
import { peekUsage } from './peek-usage.ts';

/** Where a value stands in the bytes of a line. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is counted of a message: never what it says. */
export interface MessagePeek {
  id: string | null;
  model: string | null;
  usage: Usage | null;
  /** Names of the tools that it calls. */
  readonly tools: string[];
  /** For each tool result in it: whether it tells of an error. */
  readonly results: boolean[];
}

/** The raw API event in a `stream_event`. */
export interface DeltaPeek {
  type: string | null;
  message: MessagePeek | null;
  usage: Usage | null;
}

/** The parts of an event by which it is known what to do with it. */
export interface EventPeek {
  type: string | null;
  subtype: string | null;
  /** The word by which the CLI marks an answer that it made up itself. */
  error: string | null;
  /** Whether a subagent speaks. */
  isNested: boolean;
  message: MessagePeek | null;
  event: DeltaPeek | null;
}

/** Reads these parts in one pass over the line. Null for what is no object, or is broken. */
export function peekEvent(bytes: Buffer, start: number, end: number): EventPeek | null {
  const peek: EventPeek = {
    type: null,
    subtype: null,
    error: null,
    isNested: false,
    message: null,
    event: null,
  };
  return eachField(bytes, start, end, takeEvent, peek) === end ? peek : null;
}

function takeEvent(
  peek: EventPeek,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): number {
  if (isWord(bytes, keyStart, keyEnd, 'message')) {
    peek.message = newMessage();
    return nested(bytes, start, end, eachField(bytes, start, end, takeMessage, peek.message));
  }
  if (isWord(bytes, keyStart, keyEnd, 'event')) {
    peek.event = { type: null, message: null, usage: null };
    return nested(bytes, start, end, eachField(bytes, start, end, takeDelta, peek.event));
  }
  const after = skipValue(bytes, start, end);
  if (after < 0) return after;
  if (isWord(bytes, keyStart, keyEnd, 'type')) peek.type = wordOf(bytes, start, after, eventTypes);
  else if (isWord(bytes, keyStart, keyEnd, 'subtype')) peek.subtype = shortText(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'error')) peek.error = shortText(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'parent_tool_use_id')) peek.isNested = bytes[start] === 0x22;
  return after;
}

function takeDelta(
  peek: DeltaPeek,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): number {
  if (isWord(bytes, keyStart, keyEnd, 'message')) {
    peek.message = newMessage();
    return nested(bytes, start, end, eachField(bytes, start, end, takeMessage, peek.message));
  }
  const after = skipValue(bytes, start, end);
  if (after < 0) return after;
  if (isWord(bytes, keyStart, keyEnd, 'type')) peek.type = wordOf(bytes, start, after, deltaTypes);
  else if (isWord(bytes, keyStart, keyEnd, 'usage')) peek.usage = usageAt(bytes, start, after);
  return after;
}

function takeMessage(
  peek: MessagePeek,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): number {
  if (isWord(bytes, keyStart, keyEnd, 'content'))
    return nested(bytes, start, end, eachItem(bytes, start, end, takeBlock, peek));
  const after = skipValue(bytes, start, end);
  if (after < 0) return after;
  if (isWord(bytes, keyStart, keyEnd, 'id')) peek.id = shortText(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'model')) peek.model = shortText(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'usage')) peek.usage = usageAt(bytes, start, after);
  return after;
}

interface BlockPeek {
  type: string | null;
  name: string | null;
  isError: boolean;
}

function takeBlock(message: MessagePeek, bytes: Buffer, start: number, end: number): number {
  const block: BlockPeek = { type: null, name: null, isError: false };
  const after = nested(bytes, start, end, eachField(bytes, start, end, takeBlockField, block));
  if (block.type === 'tool_use') message.tools.push(block.name ?? '');
  if (block.type === 'tool_result') message.results.push(block.isError);
  return after;
}

function takeBlockField(
  block: BlockPeek,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): number {
  const after = skipValue(bytes, start, end);
  if (after < 0) return after;
  if (isWord(bytes, keyStart, keyEnd, 'type')) block.type = wordOf(bytes, start, after, blockTypes);
  else if (isWord(bytes, keyStart, keyEnd, 'name')) block.name = shortText(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'is_error')) block.isError = bytes[start] === 0x74;
  return after;
}

const eventTypes = ['stream_event', 'assistant', 'user', 'system', 'result'];
const deltaTypes = [
  'content_block_delta',
  'content_block_start',
  'content_block_stop',
  'message_start',
  'message_delta',
  'message_stop',
];
const blockTypes = ['text', 'tool_use', 'tool_result', 'thinking'];

function usageAt(bytes: Buffer, start: number, end: number): Usage | null {
  return bytes[start] === 0x7b ? peekUsage(bytes, start, end) : null;
}

/** Where a value ends that was looked into; one that is of another kind than expected is stepped over. */
function nested(bytes: Buffer, start: number, end: number, after: number): number {
  return after >= 0 ? after : skipValue(bytes, start, end);
}

function newMessage(): MessagePeek {
  return { id: null, model: null, usage: null, tools: [], results: [] };
}
