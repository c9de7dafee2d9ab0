import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen, LOOPBACK } from '../fakes/listen.ts';

/** A receiver of Alertmanager's notifications: the person on call. */

export type Page = { receiver: string; status: 'firing' | 'resolved'; labels: Readonly<Record<string, string>> };

export type Pager = {
  url: string;
  /** Every notification of every alert, in the order in which they came; a repeated one comes again. */
  pages: Page[];
  close(): Promise<void>;
};

type Body = { receiver: string; alerts: { status: Page['status']; labels: Record<string, string> }[] };

export async function startPager(): Promise<Pager> {
  const pages: Page[] = [];
  const server = createServer((request, response) => {
    const take = async () => {
      const { receiver, alerts } = JSON.parse(await text(request)) as Body;
      for (const { status, labels } of alerts) pages.push({ receiver, status, labels });
      response.writeHead(200).end();
    };
    take().catch(() => response.destroy());
  });
  const url = `http://${LOOPBACK}:${await listen(server)}`;
  return { url, pages, close: () => closeServer(server) };
}

/** Labels that say nothing about what an alert is about. */
const UNNAMED = new Set(['alertname', 'severity', 'instance']);

/** Name of an alert with the labels that tell it from others of its rule. */
export function nameOf(labels: Page['labels']): string {
  const own = Object.entries(labels).filter(([name]) => !UNNAMED.has(name));
  const about = own.map(([, value]) => value).toSorted();
  return [labels['alertname'] ?? '', ...about].join(' ');
}

/** Alerts whose newest notification says that they fire, by name. */
export function firing(pages: readonly Page[]): Set<string> {
  const names = new Set<string>();
  for (const { status, labels } of pages)
    if (status === 'firing') names.add(nameOf(labels));
    else names.delete(nameOf(labels));
  return names;
}
