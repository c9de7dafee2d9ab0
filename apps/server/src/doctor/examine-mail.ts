import type { MailServer } from '../mail/mail-server.ts';
import type { MailTransport } from '../mail/create-transport.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

/** Connects to the mail server, checks its certificate and signs in. Sends nothing. */
export async function examineMail(
  server: MailServer | undefined,
  createTransport: (server: MailServer) => MailTransport,
): Promise<Finding> {
  if (!server)
    return doubtful(
      'mail',
      'No mail server is configured here. If workers have none either, invitations must be sent as copied links, and no warnings are sent by email.',
      'Set COUNTERFOIL_MAIL_URL and COUNTERFOIL_MAIL_FROM.',
    );
  const transport = createTransport(server);
  try {
    await transport.verify();
    return fine('mail', `${server.host} accepts our emails.`);
  } catch (cause) {
    return wrong(
      'mail',
      `${server.host} does not accept our emails: ${reasonOf(cause)}`,
      'Check host, port, user and password of COUNTERFOIL_MAIL_URL; then mail test sends one.',
    );
  } finally {
    transport.close();
  }
}
