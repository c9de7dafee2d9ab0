import type { KeyObject } from 'node:crypto';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * A device that holds passkeys, in software: answers a browser's questions as a phone with a fingerprint reader does.
 * Written from the WebAuthn specification, not from the library that checks its answers.
 */

type Kept = { id: Buffer; key: KeyObject; count: number };

type Question = { challenge: string; rpId?: string; rp?: { id?: string | undefined } };

export type SoftwareAuthenticator = {
  /** Makes a new passkey. */
  create(question: unknown, origin: string): Record<string, unknown>;
  /** Answers with the newest passkey; `verified` says whether the person's finger was on the reader. */
  answer(question: unknown, origin: string, verified?: boolean): Record<string, unknown>;
  /** A copy of this device, as a thief would make it. */
  copy(): SoftwareAuthenticator;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;
const ID_BYTES = 32;
const AAGUID = Buffer.alloc(16);

const text = (bytes: Buffer) => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** The head of a CBOR item: its kind in three bits, and a length or number up to 65,535. */
function head(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  if (value < 256) return Buffer.from([(kind << 5) | 24, value]);
  return Buffer.from([(kind << 5) | 25, value >> 8, value & 255]);
}

type Item = number | string | Buffer | Map<number | string, Item>;

/** Encodes numbers, texts, bytes and maps as CBOR. */
function encode(item: Item): Buffer {
  if (typeof item === 'number') return item >= 0 ? head(0, item) : head(1, -1 - item);
  if (typeof item === 'string') return Buffer.concat([head(3, Buffer.byteLength(item)), Buffer.from(item)]);
  if (Buffer.isBuffer(item)) return Buffer.concat([head(2, item.length), item]);
  return Buffer.concat([head(5, item.size), ...[...item].flatMap(([key, value]) => [encode(key), encode(value)])]);
}

/** The public half of a P-256 key in the form that WebAuthn stores. */
function publicKeyOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return encode(
    new Map<number, Item>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

function authenticatorData(host: string, flags: number, count: number): Buffer {
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(count);
  return Buffer.concat([sha256(host), Buffer.from([flags]), counter]);
}

const clientData = (type: string, { challenge }: Question, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function createPasskey(kept: Kept[], question: Question, origin: string): Record<string, unknown> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const passkey = { id: randomBytes(ID_BYTES), key: privateKey, count: 1 };
  kept.push(passkey);
  const host = question.rp?.id ?? new URL(origin).hostname;
  const length = Buffer.from([0, ID_BYTES]);
  const data = Buffer.concat([
    authenticatorData(host, PRESENT | VERIFIED | HAS_KEY, passkey.count),
    AAGUID,
    length,
    passkey.id,
    publicKeyOf(publicKey),
  ]);
  const attestation = new Map<string, Item>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', data],
  ]);
  return {
    id: text(passkey.id),
    rawId: text(passkey.id),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: text(clientData('webauthn.create', question, origin)),
      attestationObject: text(encode(attestation)),
      transports: ['internal'],
    },
  };
}

function answerWith(passkey: Kept, question: Question, origin: string, verified: boolean): Record<string, unknown> {
  passkey.count += 1;
  const host = question.rpId ?? new URL(origin).hostname;
  const data = authenticatorData(host, PRESENT | (verified ? VERIFIED : 0), passkey.count);
  const client = clientData('webauthn.get', question, origin);
  const signature = sign('sha256', Buffer.concat([data, sha256(client)]), passkey.key);
  return {
    id: text(passkey.id),
    rawId: text(passkey.id),
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: text(client), authenticatorData: text(data), signature: text(signature) },
  };
}

export function createSoftwareAuthenticator(kept: Kept[] = []): SoftwareAuthenticator {
  return {
    create: (question, origin) => createPasskey(kept, question as Question, origin),
    answer: (question, origin, verified = true) => {
      const newest = kept.at(-1);
      if (!newest) throw new Error('The device holds no passkey.');
      return answerWith(newest, question as Question, origin, verified);
    },
    copy: () => createSoftwareAuthenticator(kept.map((one) => ({ ...one }))),
  };
}
