import type { MailAddress } from './mail-address.ts';

export type MailServer = {
  host: string;
  port: number;
  /** From the first byte, by required STARTTLS, or if offered. The last is for local servers in development. */
  encryption: 'implicit' | 'starttls' | 'if-offered';
  /** Undefined for servers without sign-in. */
  signIn: { user: string; password: string } | undefined;
  from: { name: string; address: MailAddress };
  /** The dashboard's base URL, with which every link in an email begins. */
  dashboardUrl: string;
};
