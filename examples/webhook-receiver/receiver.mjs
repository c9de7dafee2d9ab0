import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

// A merchant's receiver: verifies what arrives and handles every event once, however often it is sent.

const MAX_BODY_BYTES = 65_536;
const MAX_REMEMBERED = 100_000;

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');
// With several processes this is a table with a unique key, written in the transaction that marks the order as paid.
const handled = new Set();

// Other events, such as the test event, are answered and change nothing.
const KNOWN_EVENTS = new Set(['invoice.completed', 'invoice.expired']);

function handle(event) {
  if (!KNOWN_EVENTS.has(event.event)) return;
  console.log(JSON.stringify({ handled: event.event_id, event: event.event, order: event.request_id ?? null }));
}

function remember(id) {
  handled.add(id);
  // The first id of a set is the oldest.
  if (handled.size > MAX_REMEMBERED) handled.delete(handled.values().next().value);
}

/** Reads the body as it came: the signature covers these bytes, not what a parser makes of them. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Status of the answer. Any 2xx says that the event was taken; after any other, except 410, it is sent again. */
async function receive(request) {
  if (request.method !== 'POST') return 405;
  const body = await readBody(request);
  if (body === undefined) return 413;
  let event;
  try {
    // `verify` also refuses what is more than five minutes old or ahead, so that a recorded request cannot be played
    // back.
    event = webhook.verify(body, request.headers);
  } catch {
    return 401;
  }
  const id = request.headers['webhook-id'];
  if (handled.has(id)) return 200;
  handle(event);
  remember(id);
  return 204;
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end(),
    () => response.destroy(),
  );
});
server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? '127.0.0.1', () => {
  console.log(JSON.stringify({ listening: server.address().port }));
});
