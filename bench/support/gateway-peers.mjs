// The two ends of the gateway's benchmark, each in a process of its own: `model` serves, `agent` asks and measures.
import { Agent, createServer, request } from 'node:http';

const usage = { input_tokens: 1000, output_tokens: 1 };
const event = (value) => Buffer.from(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`);
const start = event({
  type: 'message_start',
  message: { id: 'm', model: 'claude-sonnet-4-5', content: [], usage },
});
const delta = (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const end = event({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage: { output_tokens: 500 },
});

/** What is asked for stands in the request: so many events, so long, so far apart. */
function serve() {
  const server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    incoming.on('end', async () => {
      const { count, bytes, gapMs } = JSON.parse(text).metadata;
      const piece = delta('x'.repeat(bytes));
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write(start);
      for (let left = count; left > 0; left -= 1) {
        if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs));
        if (!outgoing.write(piece)) await new Promise((resolve) => outgoing.once('drain', resolve));
      }
      outgoing.end(end);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

const agent = new Agent({ keepAlive: true });

function ask(url, { count, bytes, gapMs, promptBytes }) {
  const body = JSON.stringify({
    model: 'claude-sonnet-4-5',
    stream: true,
    max_tokens: 1000,
    metadata: { count, bytes, gapMs },
    messages: [{ role: 'user', content: 'y'.repeat(promptBytes) }],
  });
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { 'x-api-key': 'k', 'content-length': Buffer.byteLength(body) };
    const out = request(`${url}/v1/messages`, { method: 'POST', headers, agent }, (answer) => {
      let firstMs = null;
      let received = 0;
      answer.on('data', (part) => {
        firstMs ??= performance.now() - began;
        received += part.length;
      });
      answer.on('end', () => resolve({ firstMs, totalMs: performance.now() - began, received }));
      answer.on('error', reject);
    });
    out.on('error', reject);
    out.end(body);
  });
}

if (process.argv[2] === 'model') serve();
else process.on('message', async ({ url, plan }) => process.send(await ask(url, plan)));
