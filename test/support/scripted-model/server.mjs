#!/usr/bin/env node

// scripted-model — a stand-in for the Anthropic Messages API that plays back a script.
//
// It lets you run the real `claude` CLI (or any Messages API client) end to end with no
// model behind it: each request of the agent loop consumes one "turn" of a script, and a
// turn says what the "model" answers: text, tool calls, an HTTP error, a cut stream, ...
//
//   node server.mjs --script scripts/success.json [--port 0] [--log requests.jsonl]
//   ANTHROPIC_BASE_URL=http://127.0.0.1:PORT/s/success/run1 ANTHROPIC_API_KEY=dummy claude -p ...
//
// or, from a test:  const m = await startScriptedModel({ scripts: { default: {...} } })
//
// It listens on 127.0.0.1 only, has no dependencies and calls nobody. See README.md.

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const pad = (n) => String(n).padStart(4, '0');

// The API's error type for an HTTP status, used when a turn gives a status and no error.
const ERROR_TYPE = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const DEFAULT_USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 20,
};

/** Text of a message's content, tool results included (for `expect` and for the log). */
function plainText(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((b) => b.text ?? (b.type === 'tool_result' ? plainText(b.content) : '')).join('\n');
}

/** The directory the client says it works in: Claude Code names it in its first prompt. */
function clientCwd(body) {
  const all = `${plainText(body.system)}\n${(body.messages ?? []).map((m) => plainText(m.content)).join('\n')}`;
  return all.match(/(?:working directory|^CWD): ?(\/[^\n]*)/im)?.[1]?.trim() ?? process.cwd();
}

/** Replace {{cwd}} and the other variables in every string of a turn. */
function expand(value, vars) {
  if (typeof value === 'string') return value.replace(/\{\{(\w+)\}\}/g, (all, k) => vars[k] ?? all);
  if (Array.isArray(value)) return value.map((v) => expand(v, vars));
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expand(v, vars)]));
  return value;
}

/** Flatten `times` so that turns[i] is the answer to the i-th request; Infinity stays last. */
function pickTurn(script, index) {
  let i = index;
  for (const turn of script.turns ?? []) {
    const times = turn.times === 'forever' ? Infinity : (turn.times ?? 1);
    if (i < times) return { turn, exhausted: false };
    i -= times;
  }
  return { turn: script.after ?? { text: 'Script exhausted.' }, exhausted: true };
}

/** Content blocks of a turn, in the order thinking, text, tools (or as given in `blocks`). */
function blocksOf(turn, nextToolId) {
  const withId = (b) => (b.type === 'tool_use' && !b.id ? { ...b, id: nextToolId() } : b);
  if (turn.blocks) return turn.blocks.map(withId);
  const out = [];
  if (turn.thinking) out.push({ type: 'thinking', thinking: turn.thinking, signature: 'c2NyaXB0ZWQ=' });
  for (const t of [turn.text ?? []].flat()) out.push({ type: 'text', text: t.repeat(turn.repeat_text ?? 1) });
  for (const t of [turn.tool ?? turn.tools ?? []].flat()) out.push(withId({ type: 'tool_use', ...t }));
  return out;
}

/** Is this one of the agent loop's own requests? Side requests (titles, quota checks, ...) are not. */
function isAgentRequest(body) {
  return (body.tools?.length ?? 0) > 0;
}

export async function startScriptedModel({
  scripts = {},
  port = 0,
  vars = {},
  logFile,
  logBodies = false,
} = {}) {
  const cursors = new Map(); // "script/run" -> how many turns were consumed
  const requests = []; // everything that was asked, for assertions
  let toolSeq = 0;

  const log = (entry) => {
    requests.push(entry);
    if (logFile) fs.appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
  };

  async function handle(req, res) {
    const url = new URL(req.url, 'http://127.0.0.1');
    // /s/<script>[/<run>]/v1/... : several scripts and several runs on one server.
    const [, scriptName = 'default', run = '', rest] = url.pathname.match(
      /^\/s\/([^/]+)(?:\/((?!v1\/)[^/]+))?(\/.*)?$/,
    ) ?? [undefined, 'default', '', url.pathname];
    const pathname = rest ?? '/';
    const chunks = [];
    for await (const c of req) chunks.push(c);
    const raw = Buffer.concat(chunks).toString('utf8');
    let body = {};
    try {
      body = raw ? JSON.parse(raw) : {};
    } catch {
      /* not JSON: logged as it is */
    }

    const entry = {
      n: requests.length + 1,
      at: Date.now(),
      method: req.method,
      path: pathname + url.search,
      script: scriptName,
      run,
      headers: Object.fromEntries(
        Object.entries(req.headers).filter(([k]) => !/^(x-api-key|authorization|cookie)$/.test(k)),
      ),
      auth: req.headers['x-api-key'] ? 'x-api-key' : req.headers.authorization ? 'authorization' : 'none',
      bytes: raw.length,
    };
    if (logBodies) entry.body = body.messages ? body : raw.slice(0, 20000);
    const json = (status, obj, headers = {}) => {
      res.writeHead(status, {
        'content-type': 'application/json',
        'request-id': `req_scripted_${pad(entry.n)}`,
        ...headers,
      });
      res.end(req.method === 'HEAD' ? undefined : JSON.stringify(obj));
    };

    // --- control endpoint for tests in another process ---
    if (pathname === '/__requests') return json(200, requests);
    // --- the small endpoints around /v1/messages ---
    if (pathname === '/v1/messages/count_tokens') {
      log(entry);
      return json(200, { input_tokens: Math.ceil(raw.length / 4) });
    }
    if (pathname === '/v1/models') {
      log(entry);
      return json(200, { data: [], has_more: false, first_id: null, last_id: null });
    }
    if (pathname !== '/v1/messages' || req.method !== 'POST') {
      log(entry);
      const root = pathname === '/' || pathname === '/api/hello';
      return json(
        root ? 200 : 404,
        root
          ? { message: 'scripted-model' }
          : { type: 'error', error: { type: 'not_found_error', message: `no route ${pathname}` } },
      );
    }

    // --- /v1/messages: choose the turn ---
    const script = scripts[scriptName];
    if (!script) {
      log({ ...entry, error: 'unknown script' });
      return json(404, {
        type: 'error',
        error: { type: 'not_found_error', message: `no script ${scriptName}` },
      });
    }
    const agent = script.all_requests || isAgentRequest(body);
    // A route is a script of its own for requests whose prompt holds a text (a subagent, say).
    const opening =
      agent && script.routes ? plainText(body.system) + plainText(body.messages?.[0]?.content) : '';
    const route = agent ? (script.routes ?? []).findIndex((r) => opening.includes(r.when)) : -1;
    const key = `${scriptName}/${run}/${route}`;
    const index = cursors.get(key) ?? 0;
    let { turn, exhausted } = agent
      ? pickTurn(script.routes?.[route] ?? script, index)
      : { turn: script.side ?? { text: 'ok' }, exhausted: false };
    if (agent) cursors.set(key, index + 1);
    turn = expand(turn, { cwd: clientCwd(body), ...vars });
    const last = plainText(body.messages?.at(-1)?.content);
    Object.assign(entry, {
      agent,
      route,
      turn: agent ? index : null,
      exhausted,
      model: body.model,
      stream: !!body.stream,
      max_tokens: body.max_tokens,
      messages: body.messages?.length,
      tools: (body.tools ?? []).map((t) => t.name),
      last: last.slice(-2000),
    });
    if (turn.expect !== undefined) entry.expect_ok = last.includes(turn.expect);
    log(entry);
    await answer(req, res, body, turn, entry, json, script);
  }

  async function answer(req, res, body, turn, entry, json, script) {
    if (turn.delay_ms) await sleep(turn.delay_ms);
    if (turn.cut === 'before') return req.socket.destroy();
    if (turn.stall === 'before') return; // never answers; the client has to give up
    if (turn.status && turn.status !== 200) {
      const error = {
        type: ERROR_TYPE[turn.status] ?? 'api_error',
        message: 'scripted error',
        ...turn.error,
      };
      return json(
        turn.status,
        turn.body ?? { type: 'error', error, request_id: `req_scripted_${pad(entry.n)}` },
        turn.headers,
      );
    }
    const blocks = blocksOf(turn, () => `toolu_scripted_${pad(++toolSeq)}`);
    const usage = { ...DEFAULT_USAGE, ...script.usage, ...turn.usage };
    const stop_reason =
      turn.stop_reason ?? (blocks.some((b) => b.type === 'tool_use') ? 'tool_use' : 'end_turn');
    const message = {
      id: `msg_scripted_${pad(entry.n)}`,
      type: 'message',
      role: 'assistant',
      model: turn.model ?? body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    };
    if (!body.stream) {
      // Claude Code falls back to this after a broken stream: it breaks too, unless `stream_only`
      if (!turn.stream_only && (turn.cut || turn.close)) return req.socket.destroy();
      if (!turn.stream_only && turn.stall) return;
      if (!turn.stream_only && turn.stream_error) {
        const { at, ...error } = turn.stream_error;
        return json(error.type === 'overloaded_error' ? 529 : 500, { type: 'error', error });
      }
      return json(
        200,
        {
          ...message,
          content: blocks,
          stop_reason,
          usage,
          ...(turn.stop_details && { stop_details: turn.stop_details }),
        },
        turn.headers,
      );
    }

    // --- server-sent events, in the order the Messages API sends them ---
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'request-id': `req_scripted_${pad(entry.n)}`,
      ...turn.headers,
    });
    let open = true;
    res.on('close', () => {
      open = false;
      entry.client_closed = !res.writableEnded;
    });
    const send = (type, data) =>
      new Promise((done) =>
        open
          ? res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`, () => done())
          : done(),
      );
    // What may go wrong at a point ("start", "middle", "end") of the stream; true = stop here.
    const trouble = async (point) => {
      if (turn.stream_error && (turn.stream_error.at ?? 'middle') === point) {
        const { at, ...error } = turn.stream_error;
        await send('error', { error });
        res.end();
        return true;
      }
      if (turn.cut === point) {
        await sleep(20);
        res.destroy();
        return true;
      }
      if (turn.close === point) {
        res.end();
        return true;
      } // ends the body cleanly, events missing
      if (turn.stall === point) {
        // silent, or with pings every ping_ms, until the client goes away
        while (open) {
          await sleep(turn.ping_ms ?? 200);
          if (turn.ping_ms) await send('ping', {});
        }
        return true;
      }
      return false;
    };
    await send('message_start', { message });
    await send('ping', {});
    if (await trouble('start')) return;
    for (const [i, b] of blocks.entries()) {
      const empty =
        {
          text: { type: 'text', text: '' },
          thinking: { type: 'thinking', thinking: '', signature: '' },
          tool_use: { ...b, input: {} },
        }[b.type] ?? b;
      await send('content_block_start', { index: i, content_block: empty });
      const whole =
        { text: b.text, thinking: b.thinking, tool_use: JSON.stringify(b.input ?? {}) }[b.type] ?? '';
      const size = turn.chunk ?? 4096;
      for (let at = 0; at < whole.length && open; at += size) {
        const part = whole.slice(at, at + size);
        if (turn.chunk_delay_ms) await sleep(turn.chunk_delay_ms);
        await send('content_block_delta', {
          index: i,
          delta: {
            text: { type: 'text_delta', text: part },
            thinking: { type: 'thinking_delta', thinking: part },
            tool_use: { type: 'input_json_delta', partial_json: part },
          }[b.type],
        });
        if (
          i === blocks.length - 1 &&
          at + size >= whole.length / 2 &&
          at < whole.length / 2 &&
          (await trouble('middle'))
        )
          return;
      }
      if (b.type === 'thinking')
        await send('content_block_delta', {
          index: i,
          delta: { type: 'signature_delta', signature: b.signature },
        });
      await send('content_block_stop', { index: i });
    }
    if (!blocks.length && (await trouble('middle'))) return;
    if (await trouble('end')) return;
    await send('message_delta', {
      delta: {
        stop_reason,
        stop_sequence: null,
        ...(turn.stop_details && { stop_details: turn.stop_details }),
      },
      usage,
    });
    await send('message_stop', {});
    res.end();
  }

  const server = http.createServer((req, res) =>
    handle(req, res).catch((e) => {
      console.error('scripted-model:', e);
      res.destroy();
    }),
  );
  server.keepAliveTimeout = 1000;
  await new Promise((ok, bad) => server.once('error', bad).listen(port, '127.0.0.1', ok));
  const base = `http://127.0.0.1:${server.address().port}`;
  return {
    url: base,
    urlFor: (script, run = '') => `${base}/s/${script}${run && `/${run}`}`,
    port: server.address().port,
    requests,
    scripts,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

// --- command line ---
if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const opt = { scripts: {}, vars: {} };
  const args = process.argv.slice(2);
  while (args.length) {
    const a = args.shift();
    if (a === '--script') {
      // a file, or a folder of *.json; the first one is also "default"
      const p = args.shift();
      const files = fs.statSync(p).isDirectory()
        ? fs
            .readdirSync(p)
            .filter((f) => f.endsWith('.json'))
            .sort()
            .map((f) => path.join(p, f))
        : [p];
      for (const f of files) {
        const s = JSON.parse(fs.readFileSync(f, 'utf8'));
        opt.scripts[path.basename(f, '.json')] = s;
        opt.scripts.default ??= s;
      }
    } else if (a === '--port') opt.port = Number(args.shift());
    else if (a === '--log') opt.logFile = args.shift();
    else if (a === '--log-bodies') opt.logBodies = true;
    else if (a === '--var') {
      const [k, ...v] = args.shift().split('=');
      opt.vars[k] = v.join('=');
    } else {
      console.error(
        `usage: server.mjs --script FILE|DIR [--port N] [--log FILE] [--log-bodies] [--var k=v]\nunknown argument ${a}`,
      );
      process.exit(2);
    }
  }
  const m = await startScriptedModel(opt);
  console.log(JSON.stringify({ url: m.url, scripts: Object.keys(opt.scripts) })); // one line when it is ready
  for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => m.close().then(() => process.exit(0)));
}
