/** Removes what must not leave an installation from a text. Pure. */

const REMOVED = '[removed]';
const MAX_CHARACTERS = 2_000;
/** Shortest value that is searched for: a shorter one, such as a port, would remove unrelated text. */
const LEAST_CHARACTERS = 6;

const NAME = /(?<![\w-])([\w-]+)(?:\\*["'])?\s*[:=]\s*/g;
const NAME_OF_SECRET =
  /password|passwd|passphrase|pwd|\bpass\b|secret|token|key|credential|authorization|cookie|session|signature/i;
/** A quoted text, also one in JSON that is itself a text of JSON, or a word. */
const VALUE = /\\+"[\s\S]*?\\+"|"(?:[^"\\]|\\.)*"|'[^']*'|(?:bearer|basic)\s+\S+|\S+/iy;
const SCHEME_AND_TOKEN = /\b(bearer|basic)\s+\S+/gi;
const MAIL_ADDRESS =
  /(?<![^\s"'<>()[\]{},;:=@/%])[^\s"'<>()[\]{},;:=@/%]+(?:@|%(?:25)?40)[^\s"'<>()[\]{},;:=@/%]+\.[^\s"'<>()[\]{},;:=@/%]+/gi;
/** Everything of an address behind its host can be a key, a password or a link. */
const ADDRESS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>]{0,500}@)?([^\s"'<>/?#@]+)([/?#][^\s"'<>]*)?/gi;
const ENCODED_ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}%(?:25)?3A%(?:25)?2F%(?:25)?2F[^\s"'<>]+/gi;
const PREFIXED = /\b(?:cf_(?:live|test)_|whsec_|sk_|pk_)[\w+/=-]+/g;
const INVOICE_CODE = /\bTID-[A-Za-z0-9]+/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
const KEY_BLOCK = /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g;
/** Long runs in which letters and digits mix: keys, hashes, tokens, and their base64 and URL-encoded forms. */
const LONG_RUN = /[A-Za-z0-9+/_=%-]{20,}/g;
const HEXADECIMAL = /[0-9a-f]{24,}/i;

function isRandom(run: string): boolean {
  const mixes = /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9+/=%]/.test(run);
  return mixes || HEXADECIMAL.test(run) || (/\d/.test(run) && !/[/_-]/.test(run));
}

/** A value as plain text, URL-encoded once and twice, in JSON, in base64 and in hexadecimal. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const encoded = encodeURIComponent(value);
  const forms = [
    value,
    encoded,
    encodeURIComponent(encoded),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
  return forms.filter((form) => form.length >= LEAST_CHARACTERS);
}

/** Removes the values behind names of secrets, such as `token=`. */
function removeNamed(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: all, 1: name = '' } of text.matchAll(NAME)) {
    VALUE.lastIndex = index + all.length;
    if (index < from || !NAME_OF_SECRET.test(name) || !VALUE.test(text)) continue;
    parts.push(text.slice(from, index + all.length), REMOVED);
    from = VALUE.lastIndex;
  }
  return [...parts, text.slice(from)].join('');
}

/** Makes a function that removes these values, and whatever has the form of a secret, an email address or a link. */
export function createScrub(values: readonly string[]): (text: string) => string {
  const known = [...new Set(values.filter((value) => value.length >= LEAST_CHARACTERS).flatMap(formsOf))].toSorted(
    (one, other) => other.length - one.length,
  );
  return (given) => {
    let text = given;
    for (const form of known) text = text.replaceAll(form, REMOVED);
    const withoutAddresses = text
      .replaceAll(KEY_BLOCK, REMOVED)
      .replaceAll(ADDRESS, (_all, scheme: string, _user: unknown, host: string, rest?: string) =>
        rest === undefined || rest === '/' ? `${scheme}${host}` : `${scheme}${host}/${REMOVED}`,
      )
      .replaceAll(ENCODED_ADDRESS, REMOVED)
      .replaceAll(MAIL_ADDRESS, REMOVED);
    return removeNamed(withoutAddresses)
      .replaceAll(SCHEME_AND_TOKEN, `$1 ${REMOVED}`)
      .replaceAll(PREFIXED, REMOVED)
      .replaceAll(INVOICE_CODE, REMOVED)
      .replaceAll(UUID, REMOVED)
      .replaceAll(LONG_RUN, (run) => (isRandom(run) ? REMOVED : run))
      .slice(0, MAX_CHARACTERS);
  };
}

const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;
const PRIVATE_NAME = /mail|address|link|url/i;

const isPrivate = (name: string) => PRIVATE_NAME.test(name) || NAME_OF_SECRET.test(name);

/** The same for a value of JSON: also removes every text in or below a field whose name says that it may hold a secret. */
export function scrubValue(value: unknown, scrub: (text: string) => string, depth = 0, isBelow = false): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return isBelow ? REMOVED : scrub(value);
  if (depth >= MAX_DEPTH || typeof value !== 'object') return REMOVED;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((one) => scrubValue(one, scrub, depth + 1, isBelow));
  const entries = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(
    entries.map(([name, one]) => [scrub(name), scrubValue(one, scrub, depth + 1, isBelow || isPrivate(name))]),
  );
}
