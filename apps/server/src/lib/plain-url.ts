import ipaddr from 'ipaddr.js';

/** Host names of internal networks, where nodes may be used over http. */
const INSIDE = /(^localhost|\.localhost|\.local|\.internal|\.svc|\.cluster\.local)$/;

function isInside(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() !== 'unicast';
  return INSIDE.test(bare) || !bare.includes('.');
}

/** Whether a URL is unencrypted outside of the operator's own network. */
export function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isInside(hostname);
}

/** Whether a URL can be a public base for paths: https, without user, query or fragment. */
export function isPublicBase(text: string): boolean {
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && `${username}${password}${search}${hash}` === '';
}
