import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** A name server on loopback whose answers may change from one question to the next, as in a rebinding attack. */

type DnsQuestion = {
  name: string;
  type: 'A' | 'AAAA';
  /** How often this name and type were asked for, including this question. */
  time: number;
};

export type DnsServer = {
  /** IP address and port of this name server, to give to `setServers`. */
  address: string;
  questions: DnsQuestion[];
  /** IP addresses to answer with; undefined sends no reply. */
  answer: (question: DnsQuestion) => readonly string[] | undefined;
  close(): Promise<void>;
};

const HEADER_BYTES = 12;
const TYPES: Readonly<Record<number, DnsQuestion['type']>> = { 1: 'A', 28: 'AAAA' };
// Response flags: recursion available, no error.
const FLAGS = 0x81_80;
const POINTER_TO_NAME = 0xc0_00 + HEADER_BYTES;
const CLASS_INTERNET = 1;

/** Starts a name server on `port`, or on any free port. */
export async function startDnsServer(answer: DnsServer['answer'], port = 0): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    questions: [],
    answer,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (message, sender) => {
    const { name, typeCode, end } = readQuestion(message);
    const type = TYPES[typeCode];
    if (type === undefined) return;
    const time = server.questions.filter((asked) => asked.name === name && asked.type === type).length + 1;
    const question = { name, type, time };
    server.questions.push(question);
    const addresses = server.answer(question);
    if (addresses) socket.send(reply(message.subarray(0, end), typeCode, addresses), sender.port, sender.address);
  });
  return server;
}

function readQuestion(message: Buffer): { name: string; typeCode: number; end: number } {
  const labels: string[] = [];
  let position = HEADER_BYTES;
  for (let length = message.readUInt8(position); length > 0; length = message.readUInt8(position)) {
    labels.push(message.toString('latin1', position + 1, position + 1 + length));
    position += 1 + length;
  }
  return { name: labels.join('.'), typeCode: message.readUInt16BE(position + 1), end: position + 5 };
}

function reply(question: Buffer, typeCode: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(FLAGS, 2);
  head.writeUInt16BE(addresses.length, 6);
  // No authority and no additional records.
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map((address) => record(typeCode, address))]);
}

/** Resource record with a lifetime of zero, so that no client caches it. */
function record(typeCode: number, address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray();
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(POINTER_TO_NAME, 0);
  head.writeUInt16BE(typeCode, 2);
  head.writeUInt16BE(CLASS_INTERNET, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, Buffer.from(bytes)]);
}
