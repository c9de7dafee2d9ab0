import { channel } from 'node:diagnostics_channel';

/**
 * Publishes what happens in this process to listeners in the same process, such as its metrics. Nothing else may depend on
 * it, and a listener must not throw.
 */
type Topic<Message> = {
  publish(message: Message): void;
  subscribe(listener: (message: Message) => void): void;
};

export function createTopic<Message>(name: string): Topic<Message> {
  const published = channel(`counterfoil:${name}`);
  return {
    publish: (message) => published.publish(message),
    subscribe: (listener) => published.subscribe((message) => listener(message as Message)),
  };
}
