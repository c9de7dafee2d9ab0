import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiptReport, Verifying } from './receipts.ts';

/** Starts the process of merchants' receivers and sends it orders. */

export type Mood = 'good' | 'leisurely' | 'slow' | 'failing' | 'busy' | 'redirecting' | 'resetting' | 'hanging';

export type Order = { id: number } & (
  | { kind: 'moods'; moods: Record<string, Mood> }
  | { kind: 'mood'; mood: Mood }
  | { kind: 'expect'; verifying: Verifying; secrets: Record<string, string> }
  | { kind: 'forget' }
  | { kind: 'report' }
);
export type Reply = { id: number; urls?: string[]; report?: ReceiversReport };
/** Receipts, and the number of requests that hang now. */
type ReceiversReport = ReceiptReport & { hanging: number };

export type Receivers = {
  /** Base URLs of the receivers, one per host. */
  urls: string[];
  /** Sets moods by path, on every host. */
  setMoods(moods: Record<string, Mood>): Promise<void>;
  /** Sets the mood of every path that has no mood of its own. */
  setMood(mood: Mood): Promise<void>;
  expect(verifying: Verifying, secrets: Record<string, string>): Promise<void>;
  forget(): Promise<void>;
  report(): Promise<ReceiversReport>;
  stop(): Promise<void>;
};

type Told =
  | { kind: 'moods'; moods: Record<string, Mood> }
  | { kind: 'mood'; mood: Mood }
  | { kind: 'expect'; verifying: Verifying; secrets: Record<string, string> }
  | { kind: 'forget' }
  | { kind: 'report' };

export async function startReceivers(hosts: number): Promise<Receivers> {
  const path = fileURLToPath(new URL('receiver-process.ts', import.meta.url));
  const child = fork(path, [String(hosts)], { execArgv: ['--no-warnings'] });
  const waiting = new Map<number, (reply: Reply) => void>();
  let orders = 0;
  const listening = new Promise<Reply>((resolve) => waiting.set(0, resolve));
  child.on('message', (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  const ended = once(child, 'exit').then((): Reply => {
    throw new Error('The receivers ended.');
  });
  // The rejection of `ended` is ignored here, so that it is not reported as unhandled: every call that waits for an
  // answer rejects with the same error.
  ended.catch(() => {});
  const tell = (told: Told): Promise<Reply> => {
    orders += 1;
    const order: Order = { ...told, id: orders };
    const answered = new Promise<Reply>((resolve) => waiting.set(order.id, resolve));
    child.send(order);
    return Promise.race([answered, ended]);
  };
  const { urls = [] } = await Promise.race([listening, ended]);
  return {
    urls,
    setMoods: async (moods) => void (await tell({ kind: 'moods', moods })),
    setMood: async (mood) => void (await tell({ kind: 'mood', mood })),
    expect: async (verifying, secrets) => void (await tell({ kind: 'expect', verifying, secrets })),
    forget: async () => void (await tell({ kind: 'forget' })),
    report: async () => {
      const { report } = await tell({ kind: 'report' });
      if (!report) throw new Error('The receivers told nothing.');
      return report;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await ended.catch(() => {});
    },
  };
}
