import type { MailAddress } from './mail-address.ts';

/** The mail server that takes our mails, as configured. */
export type MailServer = {
  host: string;
  port: number;
  /**
   * Encryption of the connection: from its first byte, by STARTTLS, which is then demanded, or as the server offers it.
   * The last is for servers on the same machine in development.
   */
  encryption: 'implicit' | 'starttls' | 'if-offered';
  /** User and password; undefined for servers that take mail without. */
  signIn: { user: string; password: string } | undefined;
  from: { name: string; address: MailAddress };
  /** Base address of the dashboard: every link in a mail begins with it. */
  dashboardUrl: string;
};
