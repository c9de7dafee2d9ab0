import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { listen } from './listen.ts';

/** An HTTP server on a chosen IP address that records its connections and requests. */
export type HttpReceiver = {
  port: number;
  /** All connections that were ever opened, in order. */
  sockets: Socket[];
  requests: { host: string | undefined; url: string | undefined; body: string }[];
  /** Called when a request has arrived completely. */
  answer: RequestListener;
  close(): Promise<void>;
};

export type HttpReceiverOptions = {
  address?: string;
  port?: number;
  tls?: { key: string; cert: string };
};

export async function startHttpReceiver(options: HttpReceiverOptions = {}): Promise<HttpReceiver> {
  const handle: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      receiver.requests.push({ host: request.headers.host, url: request.url, body });
      receiver.answer(request, response);
    });
  };
  const server = options.tls ? createTlsServer(options.tls, handle) : createServer(handle);
  const receiver: HttpReceiver = {
    port: 0,
    sockets: [],
    requests: [],
    answer: (_request, response) => response.end('ok'),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of receiver.sockets) socket.destroy();
      await closed;
    },
  };
  server.on('connection', (socket: Socket) => receiver.sockets.push(socket));
  receiver.port = await listen(server, options.port, options.address);
  return receiver;
}
