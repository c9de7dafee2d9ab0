import type { AddressInfo, Socket } from 'node:net';
import type { SMTPServerSession } from 'smtp-server';
import { SMTPServer } from 'smtp-server';
import type { MailCertificate } from './mail-certificate.ts';

/** A real mail server that keeps what it takes, and refuses, hangs or hangs up when told to. */

type ReceivedMail = { from: string; to: string[]; encrypted: boolean; user: string | undefined; source: string };

/**
 * What the receiver does with the next mails: take them, refuse their recipient for good (550) or for now (451), say
 * nothing any more, hang up in the middle, or refuse every sign-in (535) after it has ended all connections.
 */
type ReceiverMood = 'take' | 'refuse' | 'greylist' | 'hang' | 'hang up' | 'lock out';

export type SmtpReceiver = {
  port: number;
  /** Address for COUNTERFOIL_MAIL_URL, with the right user and password. */
  url: string;
  received: ReceivedMail[];
  /** How many recipients were named to the receiver, whatever it answered. */
  asked(): number;
  setMood(mood: ReceiverMood): void;
  /** Ends the server, and every connection to it, until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

type ReceiverOptions = {
  certificate: MailCertificate;
  /** Whether the server pretends not to know STARTTLS, as somebody in between would make it. */
  withoutEncryption?: boolean;
  /** Whether connections are encrypted from their first byte. */
  implicit?: boolean;
};

export const MAIL_USER = 'counterfoil';
export const MAIL_PASSWORD = 'pass:word@1';

const refusal = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode });
const hangUp = (sockets: ReadonlySet<Socket>) => {
  for (const socket of sockets) socket.destroy();
};
const SIGN_IN = `${encodeURIComponent(MAIL_USER)}:${encodeURIComponent(MAIL_PASSWORD)}`;
const addressOf = (session: SMTPServerSession) => {
  const { mailFrom, rcptTo } = session.envelope;
  return { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
};

export async function startSmtpReceiver(options: ReceiverOptions): Promise<SmtpReceiver> {
  const { certificate, withoutEncryption = false, implicit = false } = options;
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let mood: ReceiverMood = 'take';
  let asked = 0;
  let port = 0;
  let server: SMTPServer | undefined;

  const create = () =>
    new SMTPServer({
      key: certificate.key,
      cert: certificate.certificate,
      logger: false,
      secure: implicit,
      disabledCommands: withoutEncryption ? ['STARTTLS'] : [],
      allowInsecureAuth: withoutEncryption,
      authMethods: ['PLAIN', 'LOGIN'],
      onAuth: (auth, _session, done) =>
        mood !== 'lock out' && auth.username === MAIL_USER && auth.password === MAIL_PASSWORD
          ? done(null, { user: auth.username })
          : done(refusal(535, 'Wrong user or password')),
      onRcptTo: (_address, _session, done) => {
        asked += 1;
        if (mood === 'hang') return;
        if (mood === 'hang up') hangUp(sockets);
        else if (mood === 'refuse') done(refusal(550, 'No such user here'));
        else if (mood === 'greylist') done(refusal(451, 'Come back later'));
        else done();
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.once('end', () => {
          const source = Buffer.concat(chunks).toString();
          received.push({ ...addressOf(session), encrypted: session.secure, user: session.user, source });
          done();
        });
      },
    });

  const start = async () => {
    const fresh = create();
    server = fresh;
    fresh.on('error', () => {});
    fresh.server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => fresh.listen(port, '127.0.0.1', () => resolve()));
    port = (fresh.server.address() as AddressInfo).port;
  };
  const stop = async () => {
    const ending = server;
    server = undefined;
    hangUp(sockets);
    if (ending) await new Promise<void>((resolve) => ending.close(() => resolve()));
  };
  await start();
  return {
    port,
    url: `smtp://${SIGN_IN}@localhost:${port}`,
    received,
    asked: () => asked,
    setMood: (next) => {
      mood = next;
      if (mood === 'lock out') hangUp(sockets);
    },
    stop,
    start,
  };
}
