import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { createTransport as createSmtpTransport } from 'nodemailer';
import type { MailAddress } from './mail-address.ts';
import type { MailServer } from './mail-server.ts';
import type { RenderedMail } from './render-mail.ts';

/** One mail, ready to be sent. `messageId` is the same at every try, so that receivers can tell a repetition. */
type Message = RenderedMail & { to: MailAddress; messageId: string };

export type MailTransport = {
  send: (message: Message) => Promise<void>;
  /** Connects and signs in, and sends nothing; rejects when the server would take no mail of ours. */
  verify: () => Promise<void>;
  /** Ends every connection: what is being sent fails. */
  close: () => void;
};

/** Longest time until a connection stands, with the look-up of the host's name. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Longest life of a connection, however busy; within the time that a job may take. */
const CONNECTION_LIFE_MS = 45_000;
const GREETING_TIMEOUT_MS = 10_000;
/** Longest silence of the server inside of a connection. */
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

/**
 * Opens connections to the mail server. The library would open them itself, and then nobody could end a connection to a
 * server that says nothing: it would keep a process that stops alive.
 */
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

/**
 * Creates the transport to the configured mail server: one connection for each mail. `authorities` are certificates to
 * believe beside those that Node.js knows; for tests.
 */
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
    // A mail is what we rendered: nothing in it may name a file or an address that the library would fetch.
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
        // Addresses are objects: the library reads a text as a list, and a line break in it as further recipients.
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
