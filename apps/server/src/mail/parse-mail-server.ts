import ipaddr from 'ipaddr.js';
import { flatten } from './show-fact.ts';
import { parseMailAddress } from './mail-address.ts';
import type { MailServer } from './mail-server.ts';

type MailSettings = { url: string; from: string | undefined; dashboardUrl: string | undefined; production: boolean };

type ParsedMailServer = { server: MailServer | undefined; faults: string[] };

const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 };
const MAX_NAME_CHARACTERS = 80;
/** A name with one address in angle brackets, or only an address. */
const SENDER = /^(?:([^<>]*)<([^<>]+)>|([^<>\s]+))$/;

function parseSender(text: string): MailServer['from'] | undefined {
  const [, name = '', named, alone] = SENDER.exec(text.trim()) ?? [];
  const address = parseMailAddress(named ?? alone ?? '');
  const shown = name.trim().replace(/^"(.*)"$/, '$1');
  const isPlain = shown === flatten(shown, MAX_NAME_CHARACTERS) && !/["\\]/.test(shown);
  return address && isPlain ? { name: shown, address } : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

type Connection = Pick<MailServer, 'host' | 'port' | 'encryption' | 'signIn'>;

const decode = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

function parseConnection(text: string, production: boolean): Connection | undefined {
  const url = URL.parse(text);
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? ''];
  if (!url || defaultPort === undefined || url.hostname === '') return undefined;
  if (!['', '/'].includes(url.pathname) || `${url.search}${url.hash}` !== '') return undefined;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const starttls = !production && isLoopback(host) ? 'if-offered' : 'starttls';
  return {
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    encryption: url.protocol === 'smtps:' ? 'implicit' : starttls,
    signIn: user === '' ? undefined : { user, password },
  };
}

/** Collects every fault, and never repeats the URL, which has a password. */
export function parseMailServer({ url, from, dashboardUrl, production }: MailSettings): ParsedMailServer {
  const connection = parseConnection(url, production);
  const sender = parseSender(from ?? '');
  const faults = [
    ...(connection
      ? []
      : ['COUNTERFOIL_MAIL_URL: must be smtp:// or smtps://, with user and password or neither, and no path']),
    ...(sender ? [] : ['COUNTERFOIL_MAIL_FROM: must be one plain address, or a name and one in angle brackets']),
    ...(dashboardUrl === undefined ? ['COUNTERFOIL_DASHBOARD_URL: is needed for the links in mails'] : []),
  ];
  if (!connection || !sender || dashboardUrl === undefined) return { server: undefined, faults };
  return { server: { ...connection, from: sender, dashboardUrl }, faults };
}
