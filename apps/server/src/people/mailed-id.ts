import type { MailData } from '../mail/mail.ts';

export function mailedId(data: MailData, name: string): bigint {
  const id = data[name];
  if (id === undefined) throw new Error(`The mail has no id of its ${name}.`);
  return BigInt(id);
}
