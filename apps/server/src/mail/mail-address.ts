import ipaddr from 'ipaddr.js';

/**
 * A validated address: one recipient at one domain, in plain form. `shown` is as typed, with lower-case domain, and is
 * sent to; `normal` is all in lower case for comparison, because no provider distinguishes users by case.
 */
export type MailAddress = { readonly shown: string; readonly normal: string };

const MAX_CHARACTERS = 254;
const MAX_LOCAL_CHARACTERS = 64;
const MAX_LABEL_CHARACTERS = 63;

/**
 * Local part: letters, digits and signs without quotes, in parts between single dots. Quoted forms, which may contain
 * spaces, commas and at signs, are refused: software parses them differently.
 */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** The last label has a letter, so that no IP address passes for a domain. */
const LAST_LABEL = /[a-z]/;

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  const fits = labels.every((label) => label.length <= MAX_LABEL_CHARACTERS && LABEL.test(label));
  return fits && labels.length > 1 && LAST_LABEL.test(labels.at(-1) ?? '') && !ipaddr.isValid(domain);
}

/** One plain email address; undefined for everything else. */
export function parseMailAddress(text: string): MailAddress | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const at = text.indexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1).toLowerCase();
  if (at < 0 || local.length > MAX_LOCAL_CHARACTERS || !LOCAL.test(local) || !isDomain(domain)) return undefined;
  const shown = `${local}@${domain}`;
  return { shown, normal: shown.toLowerCase() };
}

/** Reads an address that was validated before it was stored. */
export function requireMailAddress(text: string): MailAddress {
  const address = parseMailAddress(text);
  if (!address) throw new Error('A stored mail address is not a plain one.');
  return address;
}
