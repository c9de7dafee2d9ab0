import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { createTransport as createSmtpTransport } from 'nodemailer';
import type { MailAddress } from './mail-address.ts';
import type { MailServer } from './mail-server.ts';
import type { RenderedMail } from './render-mail.ts';

/** An email to send. `messageId` is the same at every attempt, so that receivers can recognise repetitions. */
type Message = RenderedMail & { to: MailAddress; messageId: string };

export type MailTransport = {
  send: (message: Message) => Promise<void>;
  /** Connects and signs in without sending; rejects when the server would accept no email. */
  verify: () => Promise<void>;
  /** Closes every connection: emails being sent fail. */
  close: () => void;
};

/** Longest time to connect, including DNS. */
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTION_LIFE_MS = 45_000;
const GREETING_TIMEOUT_MS = 10_000;
/** Longest silence of the server. */
const SILENCE_TIMEOUT_MS = 15_000;

function encryptionOf({ encryption }: MailServer) {
  switch (encryption) {
    case 'implicit':
      return { secure: true };
    case 'starttls':
      return { secure: false, requireTLS: true };
    case 'if-offered':
      return { secure: false };
  }
}

/** Our own connections: the library's could not be closed while the server says nothing. */
function createConnections({ host, port }: MailServer) {
  const open = new Set<Socket>();
  const connectOnce = (done: (cause: Error | null, connected?: { connection: Socket }) => void) => {
    const socket = connect({ host, port });
    const fail = (cause: Error) => done(cause);
    const life = setTimeout(() => socket.destroy(new Error('The mail server takes too long.')), CONNECTION_LIFE_MS);
    open.add(socket);
    socket.once('close', () => {
      clearTimeout(life);
      open.delete(socket);
    });
    socket.once('error', fail);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('The mail server is not there.')));
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.off('error', fail);
      done(null, { connection: socket });
    });
  };
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  return { connectOnce, closeAll };
}

/** One connection per email. `authorities` are additional trusted certificates, for tests. */
export function createTransport(server: MailServer, authorities?: string): MailTransport {
  const { host, port, signIn, from } = server;
  const { connectOnce, closeAll } = createConnections(server);
  const transport = createSmtpTransport({
    getSocket: (_options, done) => connectOnce(done),
    host,
    port,
    ...encryptionOf(server),
    ...(signIn && { auth: { user: signIn.user, pass: signIn.password } }),
    tls: { minVersion: 'TLSv1.2', ...(authorities !== undefined && { ca: authorities }) },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Nothing in an email may name a file or URL that the library would fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    close: closeAll,
    verify: async () => {
      await transport.verify();
    },
    send: async ({ to, subject, text, html, messageId }) => {
      await transport.sendMail({
        // As objects: the library parses text as a list, and line breaks in it as further recipients.
        from: { name: from.name, address: from.address.shown },
        to: { name: '', address: to.shown },
        subject,
        text,
        html,
        messageId,
        xMailer: false,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
    },
  };
}
