import type { ServerResponse } from 'node:http';

/** One viewer's stream of server-sent events. Every event is the whole state, so that only the latest has to arrive. */

export type EventStream = {
  /** Sends, or keeps as the latest while the viewer does not read. */
  send(text: string): void;
  /** Sends only to a viewer that reads. */
  beat(text: string): void;
  /** How long the viewer has not read, in milliseconds. */
  stuckMs(nowMs: number): number;
  end(): void;
  destroy(): void;
};

/** What the client waits before it connects again. */
const RETRY_MS = 2_000;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Proxies that collect answers would hold events back.
  'x-accel-buffering': 'no',
};

export function eventText(tag: string, data: string): string {
  return `event: view\nid: ${tag}\ndata: ${data}\n\n`;
}

export function beatText(nowMs: number): string {
  return `event: beat\ndata: ${nowMs}\n\n`;
}

export function openEventStream(response: ServerResponse, nowMs: () => number): EventStream {
  let latest: string | undefined;
  let stuckSinceMs: number | undefined;
  const write = (text: string) => {
    if (response.write(text)) return;
    stuckSinceMs = nowMs();
  };
  response.on('drain', () => {
    stuckSinceMs = undefined;
    const text = latest;
    latest = undefined;
    if (text !== undefined) write(text);
  });
  // A viewer that goes away is no fault of ours; its 'close' is heard where it is counted.
  response.on('error', () => {});
  response.socket?.setNoDelay(true);
  response.write(`retry: ${RETRY_MS}\n\n`);
  return {
    send: (text) => {
      if (stuckSinceMs === undefined) write(text);
      else latest = text;
    },
    beat: (text) => {
      if (stuckSinceMs === undefined) write(text);
    },
    stuckMs: (atMs) => (stuckSinceMs === undefined ? 0 : atMs - stuckSinceMs),
    end: () => response.end(),
    destroy: () => response.destroy(),
  };
}
