import type { ServerResponse } from 'node:http';

/** Server-sent events to one viewer. Each has the whole view, so only the latest must arrive. */

export type EventStream = {
  send(text: string): void;
  beat(text: string): void;
  /** How long the viewer has not read. */
  stuckMs(nowMs: number): number;
  end(): void;
  destroy(): void;
};

/** Reconnect delay of browsers. */
const RETRY_MS = 2_000;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Proxies must not buffer, which would delay events.
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
  // Disconnecting is no error; checkout-routes.ts listens for 'close'.
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
