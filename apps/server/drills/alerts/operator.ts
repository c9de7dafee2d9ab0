import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { closeServer, listen, LOOPBACK } from '../../rig/fakes/listen.ts';
import { steadyClock } from '../../src/lib/clock.ts';

/** The operator of the installation: gets the product's own alerts at a URL, and its heartbeats at another one. */

type OwnAlert = {
  event: string;
  kind: string;
  urgency: string;
  /** Unique for each kind, hour and phase. */
  id: string;
  verified: boolean;
};

export type Operator = {
  settings: Readonly<Record<string, string>>;
  mail: string;
  alerts: OwnAlert[];
  /** When each heartbeat came, in milliseconds of a monotonic clock. */
  beats: number[];
  close(): Promise<void>;
};

const SECRET = `whsec_${Buffer.from('thirty-two bytes of the operator').toString('base64')}`;
const MAIL = 'oncall@acme.example';

function verifies(body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(SECRET).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

export async function startOperator(): Promise<Operator> {
  const alerts: OwnAlert[] = [];
  const beats: number[] = [];
  const server = createServer((request, response) => {
    const take = async () => {
      const body = await text(request);
      if (request.url === '/beat') beats.push(steadyClock.nowMs());
      else {
        const { event, kind, urgency } = JSON.parse(body) as OwnAlert;
        const headers = request.headers as Record<string, string>;
        const verified = verifies(body, headers);
        alerts.push({ event, kind, urgency, id: headers['webhook-id'] ?? '', verified });
      }
      response.writeHead(204).end();
    };
    take().catch(() => response.destroy());
  });
  const url = `http://${LOOPBACK}:${await listen(server)}`;
  const settings = {
    COUNTERFOIL_ALARM_URL: `${url}/alarms`,
    COUNTERFOIL_ALARM_SECRET: SECRET,
    COUNTERFOIL_ALARM_EMAIL: MAIL,
    COUNTERFOIL_HEARTBEAT_URL: `${url}/beat`,
  };
  return { settings, mail: MAIL, alerts, beats, close: () => closeServer(server) };
}
