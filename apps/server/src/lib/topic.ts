import { channel } from 'node:diagnostics_channel';

/** In-process events, such as for metrics. Nothing else may depend on them; listeners must not throw. */
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
