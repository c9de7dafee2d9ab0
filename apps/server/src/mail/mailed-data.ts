import type { MailData } from './mail.ts';

/** An id among an email's data. */
export function mailedId(data: MailData, name: string): bigint {
  const id = data[name];
  if (id === undefined) throw new Error(`The mail has no id of its ${name}.`);
  return BigInt(id);
}

/** A moment among an email's data, in milliseconds since 1970. */
export const mailedTime = (text: string | undefined) => new Date(Number(text));
