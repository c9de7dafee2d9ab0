import { z } from 'zod';
import { CommandError } from './command-error.ts';
import { formatHead, parseHead } from '../audit/audit-head.ts';
import { readHeadLink } from '../audit/audit-link-sql.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { inSnapshot } from '../db/transaction.ts';
import { command } from './command.ts';
import { beginAuditChain } from '../secrets/begin-audit-chain.ts';
import type { OperatorContext } from './operator-context.ts';
import { readChainKeys } from '../secrets/read-chain-keys.ts';

const check = z.object({ head: z.string().optional() });

const verify = command<OperatorContext, typeof check>('audit verify', {
  summary:
    'Recompute the chain of audit entries; with a head that was exported, also that nothing was taken off its end.',
  options: { head: 'HEAD         POSITION:DIGEST of a log line, or POSITION:NUMBER of the metrics' },
  input: check,
  run: async ({ database, keyRing }, { head: text }) => {
    const head = text === undefined ? undefined : parseHead(text);
    const { fault, ...verdict } = await inSnapshot(database, async (tx) =>
      verifyAudit(tx, { keys: await readChainKeys(tx, keyRing), head }),
    );
    if (fault !== undefined) throw new CommandError(fault);
    return verdict;
  },
});

const nothing = z.object({});

const head = command<OperatorContext, typeof nothing>('audit head', {
  summary: 'The newest link of the chain, to be stored where it cannot be changed.',
  options: {},
  input: nothing,
  run: async ({ database }) => {
    const link = await readHeadLink(database.queries);
    if (!link) throw new CommandError('Nothing is chained yet: a worker with the key ring does that.');
    return { head: formatHead(link), entry: link.entryId };
  },
});

const beginning = z.object({ reason: z.string().trim().min(1).max(500), lost: z.enum(['yes', 'no']).default('no') });

const begin = command<OperatorContext, typeof beginning>('audit begin', {
  summary: 'Begin a new chain with a secret of its own: the one before is lost, or known to others. Audited.',
  options: {
    reason: 'TEXT         why, for the audit',
    lost: 'yes|no         the secret of the chain before is lost for good: nobody can verify that chain any more',
  },
  input: beginning,
  run: async ({ database, clock, actor, keyRing }, { reason, lost }) => {
    const context = { database, clock, ring: await keyRing() };
    const begun = await beginAuditChain(context, actor, { reason, secretLost: lost === 'yes' });
    return { head: formatHead(begun), entry: begun.entryId };
  },
});

export const auditCommands = [verify, head, begin];
