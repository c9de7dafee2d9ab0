/** A paid invoice has one event, and one before it where it was cancelled. */
export function findEventFaults(transId: string, events: readonly Record<string, unknown>[]): string[] {
  const told = events.map(({ event, data }) => ({ event, cancelled: Object.hasOwn(data as object, 'cancelled') }));
  const ends = told.filter(({ event, cancelled }) => event === 'invoice.expired' && cancelled);
  const isRight = told.at(-1)?.event === 'invoice.completed' && ends.length < 2 && told.length === 1 + ends.length;
  return isRight ? [] : [`${transId} has the events ${told.map(({ event }) => String(event)).join(', ')}`];
}
