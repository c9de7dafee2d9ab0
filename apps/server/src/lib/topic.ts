import { channel } from 'node:diagnostics_channel';

/**
 * Publishes in-process events to listeners, such as metrics. Nothing else may depend on it, and listeners must not
 * throw.
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
