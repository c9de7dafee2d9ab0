import type { ServerResponse } from 'node:http';

/**
 * A stream of server-sent events to one viewer. Every event has the whole view, so only the latest event must arrive.
 */

export type EventStream = {
  /** Sends an event; while the viewer does not read, only the latest event is kept. */
  send(text: string): void;
  /** Sends a heartbeat, unless the viewer does not read. */
  beat(text: string): void;
  /** How long the viewer has not read, in milliseconds. */
  stuckMs(nowMs: number): number;
  end(): void;
  destroy(): void;
};

/** Milliseconds that a browser waits before it connects again. */
const RETRY_MS = 2_000;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // The header `x-accel-buffering` keeps proxies from buffering answers, which would delay events.
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
  // A viewer that disconnects is no error; checkout-routes.ts listens for 'close'.
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
