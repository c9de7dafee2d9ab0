import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findImages, parseReference, pinImages } from './image-reference.ts';
import type { Fetch } from './resolve-digest.ts';
import { resolveDigest } from './resolve-digest.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const DIGEST = `sha256:${'a'.repeat(64)}`;
const INDEX = '{"schemaVersion":2,"manifests":[]}';
const INDEX_DIGEST = `sha256:${createHash('sha256').update(INDEX).digest('hex')}`;

describe('a reference to an image', () => {
  test.each([
    ['debian:bookworm-slim', 'registry-1.docker.io', 'library/debian', 'bookworm-slim', undefined],
    ['grafana/k6:1.2', 'registry-1.docker.io', 'grafana/k6', '1.2', undefined],
    [`ghcr.io/owner/name:v1@${DIGEST}`, 'ghcr.io', 'owner/name', 'v1', DIGEST],
  ])('%s is read', (text, registry, repository, tag, digest) => {
    expect(parseReference(text)).toEqual({ registry, repository, tag, digest });
  });

  test.each(['debian', 'debian:', 'debian:a@sha256:12', '$BASE', 'a b:c'])('%j is refused', (text) => {
    expect(() => parseReference(text)).toThrow('no image with a tag');
  });
});

describe('the files that name base images', () => {
  test('are pinned where they name one, and nowhere else', () => {
    const all = [...findImages(read('Dockerfile')), ...findImages(read('compose.yaml'))];
    expect(all.map((image) => image.split(':')[0])).toEqual(['debian', 'node', 'postgres', 'caddy']);
    for (const path of ['Dockerfile', 'compose.yaml']) {
      const before = read(path);
      const images = findImages(before);
      const pinned = pinImages(before, new Map(images.map((image) => [image, DIGEST])));
      expect(findImages(pinned).map((image) => parseReference(image).digest)).toEqual(images.map(() => DIGEST));
      expect(pinned.replaceAll(`@${DIGEST}`, '')).toBe(before.replaceAll(/@sha256:[0-9a-f]{64}/g, ''));
    }
  });

  test('are pinned to another digest when the tag has moved', () => {
    const text = `ARG BASE=debian:bookworm-slim@${DIGEST}\n`;
    const [image = ''] = findImages(text);
    expect(pinImages(text, new Map([[image, INDEX_DIGEST]]))).toBe(`ARG BASE=debian:bookworm-slim@${INDEX_DIGEST}\n`);
  });
});

const CHALLENGE =
  'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/debian:pull"';
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

/** A registry as Docker Hub answers; keeps what it was asked. */
function recorded(index: { body?: string; digest?: string; type?: string; challenge?: string } = {}) {
  const { body = INDEX, digest = INDEX_DIGEST, type = INDEX_TYPE, challenge = CHALLENGE } = index;
  const asked: string[] = [];
  const request: Fetch = async (url, { headers }) => {
    asked.push(url);
    if (url.startsWith('https://auth.docker.io/')) return Response.json({ token: 'secret' });
    if (headers['authorization'] !== 'Bearer secret')
      return new Response('', { status: 401, headers: { 'www-authenticate': challenge } });
    return new Response(body, { headers: { 'content-type': type, 'docker-content-digest': digest } });
  };
  return { asked, request };
}

const absent: Fetch = async () => new Response('', { status: 404 });

describe('a registry', () => {
  test('is asked with a token of the place that it names, and its index is hashed', async () => {
    const { asked, request } = recorded();
    expect(await resolveDigest('debian:bookworm-slim', request)).toBe(INDEX_DIGEST);
    const manifest = 'https://registry-1.docker.io/v2/library/debian/manifests/bookworm-slim';
    expect(asked).toEqual([
      manifest,
      'https://auth.docker.io/token?service=registry.docker.io&scope=repository%3Alibrary%2Fdebian%3Apull',
      manifest,
    ]);
  });

  test.each([
    ['names another digest than its bytes have', { digest: DIGEST }, 'another digest'],
    ['answers with an image of one platform', { type: 'application/vnd.oci.image.manifest.v1+json' }, 'no index'],
    [
      'wants a token from a place without encryption',
      { challenge: CHALLENGE.replace('https', 'http') },
      'something else',
    ],
  ])('that %s is refused', async (_title, answers, fault) => {
    await expect(resolveDigest('debian:bookworm-slim', recorded(answers).request)).rejects.toThrow(fault);
  });

  test('that does not have the image is named', async () => {
    await expect(resolveDigest('ghcr.io/a/b:1', absent)).rejects.toThrow('ghcr.io does not have a/b:1 (404)');
  });
});

test('a release is refused while an image has no digest, and only then', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-images-'));
  const tools = join(folder, 'apps/server/tools/images');
  mkdirSync(tools, { recursive: true });
  cpSync(import.meta.dirname, tools, { recursive: true });
  const refused = () => {
    try {
      execFileSync(process.execPath, [join(tools, 'main.ts'), 'require'], { encoding: 'utf8', stdio: 'pipe' });
      return '';
    } catch (cause) {
      return String((cause as { stderr: unknown }).stderr);
    }
  };
  try {
    writeFileSync(join(folder, 'Dockerfile'), `ARG BASE=debian:bookworm-slim@${DIGEST}\n`);
    writeFileSync(join(folder, 'compose.yaml'), 'services:\n  caddy:\n    image: caddy:2.10-alpine\n');
    expect(refused()).toMatch(/^Without a digest: caddy:2\.10-alpine\. .*bin\/pin-images/);
    writeFileSync(join(folder, 'compose.yaml'), `services:\n  caddy:\n    image: caddy:2.10-alpine@${DIGEST}\n`);
    expect(refused()).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
