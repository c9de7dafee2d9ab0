import type { Refusals } from '../lib/refusal.ts';

export const TLS_FAULTS: Record<Refusals['DATABASE_TLS']['fault'], string> = {
  'not-trusted':
    'its certificate is not signed by an authority that is trusted here. Name the root certificate of its authority with ' +
    'sslrootcert in the address, and compare it with the one that the database uses.',
  'other-host':
    'its certificate is for another host name. Connect by a name that is in the certificate, or issue one with this name.',
  expired: 'its certificate has expired, or is not valid yet. Renew it, or set the clock of this host.',
  'not-offered':
    'the address demands TLS (sslmode), and the database does not offer it. Set ssl = on in postgresql.conf.',
  'no-root-certificate': 'there is no file at the path of sslrootcert in the address.',
};
