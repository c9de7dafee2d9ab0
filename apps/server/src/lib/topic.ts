import { channel } from 'node:diagnostics_channel';

/**
 * A topic: what happens in this process, for others in this process who count it, such as its metrics. It may be lost,
 * and nothing depends on it. A listener must not throw.
 */
export type Topic<Message> = {
  publish(message: Message): void;
  subscribe(listener: (message: Message) => void): void;
};

export function createTopic<Message>(name: string): Topic<Message> {
  const told = channel(`counterfoil:${name}`);
  return {
    publish: (message) => told.publish(message),
    subscribe: (listener) => told.subscribe((message) => listener(message as Message)),
  };
}
