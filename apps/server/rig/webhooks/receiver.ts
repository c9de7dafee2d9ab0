import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { closeServer, listen, LOOPBACK } from '../fakes/listen.ts';

/** A merchant's receiver on loopback: verifies with the Standard Webhooks library, and misbehaves on request. */

export type Mood = 'good' | 'failing' | 'hanging' | 'resetting' | 'redirecting' | 'gone' | 'busy';

type Received = {
  path: string;
  eventId: string;
  body: string;
  verified: boolean;
  /** Number of secrets that the event was signed with. */
  signatures: number;
  headers: IncomingHttpHeaders;
  atMs: number;
};

export type Receiver = {
  url: string;
  received: Received[];
  mood: (path: string, eventId: string) => Mood;
  secrets: Map<string, string>;
  close: () => Promise<void>;
};

function verifies(secret: string, body: string, headers: IncomingMessage['headers']): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

function answer(mood: Mood, request: IncomingMessage, response: ServerResponse): void {
  switch (mood) {
    case 'good':
      response.writeHead(200).end('ok');
      return;
    case 'failing':
      response.writeHead(500).end('no');
      return;
    case 'hanging':
      return;
    case 'resetting':
      request.socket.destroy();
      return;
    case 'redirecting':
      response.writeHead(302, { location: '/elsewhere' }).end();
      return;
    case 'gone':
      response.writeHead(410).end();
      return;
    case 'busy':
      response.writeHead(429, { 'retry-after': '3600' }).end();
  }
}

/** Starts a receiver, which looks up secrets by the first part of the path, the store's id. */
export async function startReceiver(nowMs: () => number): Promise<Receiver> {
  const receiver: Pick<Receiver, 'received' | 'mood' | 'secrets'> = {
    received: [],
    mood: () => 'good',
    secrets: new Map(),
  };
  const server = createServer((request, response) => {
    const receive = async () => {
      const body = await text(request);
      const path = request.url ?? '';
      const eventId = String(request.headers['webhook-id']);
      const mood = receiver.mood(path, eventId);
      const secret = receiver.secrets.get(path.split('/')[1] ?? '') ?? '';
      const verified = verifies(secret, body, request.headers);
      const signatures = String(request.headers['webhook-signature']).split(' ').length;
      receiver.received.push({ path, eventId, body, verified, signatures, headers: request.headers, atMs: nowMs() });
      answer(mood, request, response);
    };
    void receive();
  });
  const port = await listen(server);
  return Object.assign(receiver, {
    url: `http://${LOOPBACK}:${port}`,
    close: () => closeServer(server),
  });
}
