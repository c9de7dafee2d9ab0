import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { closeServer, listen, LOOPBACK } from '../../rig/fakes/listen.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Merchants' receivers: hosts on loopback that check every signature, as documented for merchants. */

export type Shop = {
  /** URL at which a store receives its webhooks. */
  callbackUrl(storeId: bigint): string;
  close(): Promise<void>;
};

export type ShopOptions = {
  hosts: number;
  secrets: ReadonlyMap<string, string>;
  onCompleted: (transId: string, atMs: number) => void;
  onFault: (cause: unknown) => void;
};

export async function openShop({ hosts, secrets, onCompleted, onFault }: ShopOptions): Promise<Shop> {
  const webhooks = new Map([...secrets].map(([storeId, secret]) => [storeId, new Webhook(secret)]));

  function receive(path: string, headers: IncomingHttpHeaders, body: string): void {
    const atMs = systemClock.nowMs();
    const webhook = webhooks.get(path.slice(1));
    if (!webhook) throw new Error(`No store receives at ${path}.`);
    // Throws when the signature is wrong or old.
    webhook.verify(body, headers as Record<string, string>);
    const { event, trans_id: transId } = JSON.parse(body) as { event: string; trans_id: string };
    if (event !== 'invoice.completed') throw new Error(`${transId} ended as ${event}.`);
    onCompleted(transId, atMs);
  }

  const servers = Array.from({ length: hosts }, () =>
    createServer((request, response) => {
      const answer = async () => {
        const body = await text(request);
        try {
          receive(request.url ?? '', request.headers, body);
          response.writeHead(200).end();
        } catch (cause) {
          onFault(cause);
          response.writeHead(500).end();
        }
      };
      void answer();
    }),
  );
  const urls = await Promise.all(servers.map(async (server) => `http://${LOOPBACK}:${await listen(server)}`));
  return {
    callbackUrl: (storeId) => `${urls[Number(storeId) % hosts]}/${storeId}`,
    close: async () => void (await Promise.all(servers.map(closeServer))),
  };
}
