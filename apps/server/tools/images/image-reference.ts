/** Base images that files of this repository name, with or without the digest that pins them. */

type ImageReference = { registry: string; repository: string; tag: string; digest: string | undefined };

const REFERENCE = /^(?<name>[a-z0-9][a-z0-9./_-]*):(?<tag>[\w][\w.-]{0,127})(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;
const HUB = 'registry-1.docker.io';

/** Parses a reference such as `caddy:2.10-alpine@sha256:...`; names without a host are those of Docker Hub. */
export function parseReference(text: string): ImageReference {
  const { name, tag, digest } = REFERENCE.exec(text)?.groups ?? {};
  if (name === undefined || tag === undefined) throw new Error(`${text} is no image with a tag.`);
  const [host = '', ...rest] = name.split('/');
  if (rest.length > 0 && host.includes('.')) return { registry: host, repository: rest.join('/'), tag, digest };
  return { registry: HUB, repository: rest.length > 0 ? name : `library/${name}`, tag, digest };
}

/** Lines that name an image: arguments of the Dockerfile, and images of compose.yaml that are not our own. */
const NAMED = /^(?<before>ARG (?:BUILD_)?BASE=| +image: )(?<image>[^\s$]+)$/gm;

export const findImages = (text: string): string[] =>
  [...text.matchAll(NAMED)].map(({ groups }) => groups?.['image'] ?? '');

/** A file's text with each image pinned by its digest. */
export const pinImages = (text: string, digests: ReadonlyMap<string, string>): string =>
  text.replace(NAMED, (line, before: string, image: string) => {
    const digest = digests.get(image);
    return digest === undefined ? line : `${before}${image.replace(/@.*$/, '')}@${digest}`;
  });
