import { ChildProcess } from 'node:child_process';
import { Socket as DatagramSocket } from 'node:dgram';
import { Server, Socket } from 'node:net';

/** Makes every port, connection and process fail; it runs before every pure test file. */

function forbid(what: string): () => never {
  return () => {
    throw new Error(
      `A pure test ${what}. Import what does it in the test or in its rig, and it becomes an engine test.`,
    );
  };
}

const { prototype: childProcess } = ChildProcess as unknown as { prototype: { spawn: unknown } };
childProcess.spawn = forbid('starts a process');
Server.prototype.listen = forbid('listens on a port');
Socket.prototype.connect = forbid('opens a connection');
DatagramSocket.prototype.bind = forbid('listens on a port');
DatagramSocket.prototype.send = forbid('sends a datagram');
