import { createHash } from 'node:crypto';
import { parseReference } from './image-reference.ts';

const TIMEOUT_MS = 30_000;
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

export type Fetch = (
  url: string,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<Response>;

const ask = (request: Fetch, url: string, headers: Record<string, string> = {}) =>
  request(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });

/** Requests a read token for one repository from the token server that the registry names in its 401 answer. */
async function readToken(request: Fetch, challenge: string): Promise<string> {
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  const realm = URL.parse(field('realm'));
  if (!/^Bearer /i.test(challenge) || realm?.protocol !== 'https:')
    throw new Error('The registry asks for something else than a token.');
  realm.searchParams.set('service', field('service'));
  realm.searchParams.set('scope', field('scope'));
  const answer = await ask(request, realm.href);
  const { token } = (await answer.json()) as { token?: unknown };
  if (!answer.ok || typeof token !== 'string') throw new Error(`${realm.host} gives no token (${answer.status}).`);
  return token;
}

/**
 * The digest that a tag has at its registry now: that of the index over all platforms, computed from its bytes and
 * compared with the one that the registry names.
 */
export async function resolveDigest(image: string, request: Fetch): Promise<string> {
  const { registry, repository, tag } = parseReference(image);
  const url = `https://${registry}/v2/${repository}/manifests/${tag}`;
  let answer = await ask(request, url, { accept: INDEX_TYPES });
  if (answer.status === 401) {
    const token = await readToken(request, answer.headers.get('www-authenticate') ?? '');
    answer = await ask(request, url, { accept: INDEX_TYPES, authorization: `Bearer ${token}` });
  }
  if (!answer.ok) throw new Error(`${registry} does not have ${repository}:${tag} (${answer.status}).`);
  if (!INDEX_TYPES.includes(answer.headers.get('content-type')?.split(';')[0] ?? 'none'))
    throw new Error(`${repository}:${tag} is no index over platforms.`);
  const digest = `sha256:${createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')}`;
  const named = answer.headers.get('docker-content-digest');
  if (named !== null && named !== digest) throw new Error(`${registry} names another digest of ${repository}:${tag}.`);
  return digest;
}
