import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in expiring invoices, matching transfers and booking fees. */
export const INVOICE_TRANSFERS_MUTANTS: readonly Mutant[] = [
  {
    name: 'coverage-equal',
    edits: [
      {
        file: 'src/invoices/expiry-sql.ts',
        find: 'and expires_at < ${gate.coveredUntil}',
        replace: 'and expires_at <= ${gate.coveredUntil}',
      },
      {
        file: 'src/invoices/expiry-sql.ts',
        find: 'coalesce(g.covered_until <= i.expires_at, true',
        replace: 'coalesce(g.covered_until < i.expires_at, true',
      },
    ],
    suite: 'test/engine/mutant-expiry.test.ts',
    title:
      'a network that is read to the very second of the end is not past it, also when it is the second to be waited for',
  },
  {
    name: 'facts-before-coverage',
    edits: [
      { file: 'src/invoices/expire-due-invoices.ts', find: '{ gates, lock }: Batch,', replace: '{ lock }: Batch,' },
      {
        file: 'src/invoices/expire-due-invoices.ts',
        find: 'const covered = await passGates(tx, due, lowerGates(gates, await readAllGates(tx, due, at)));',
        replace: 'const covered = await passGates(tx, due, await readAllGates(tx, due, at));',
      },
    ],
    suite: 'test/engine/mutant-expiry.test.ts',
    title: 'expiry reads coverage before it locks: what was covered since is believed in the next round',
  },
  {
    name: 'attach-without-lock',
    edits: [
      {
        file: 'src/invoices/attach-transfer.ts',
        find: 'const { frozen } = await lockReader(tx, input);',
        replace: "const { frozen } = input.txId === '' ? await lockReader(tx, input) : { frozen: false };",
      },
    ],
    suite: 'test/engine/mutant-races.test.ts',
    title: 'a transfer that is attached while coverage passes it completes its invoice',
  },
  {
    name: 'overdraft-stays',
    edits: [
      {
        file: 'src/ledger/booking-sql.ts',
        find: 'case when m.incoming = 0 then b.overdraft_micro_usd end)',
        replace: 'b.overdraft_micro_usd)',
      },
    ],
    suite: 'src/ledger/booking-sql.test.ts',
    title: 'a release pays an overdraft off: calls of the API may not use it again',
  },
  {
    name: 'thawed-by-one',
    edits: [
      { file: 'src/invoices/apply-transfers.ts', find: '  lacksPayment,\n', replace: '' },
      {
        file: 'src/invoices/apply-transfers.ts',
        find: 'if (restored > 0 && !(await lacksPayment(tx, network))) await endFreeze(tx, network);',
        replace: 'if (restored > 0) await endFreeze(tx, network);',
      },
    ],
    suite: 'test/engine/reorged.test.ts',
    title: 'a network that lost two payments stays frozen until both are back',
  },
  {
    name: 'reference-pays-test-store',
    edits: [
      {
        file: 'src/invoices/match-sql.ts',
        find: 'from payable n where transfers.id = n.id and transfers.invoice_id is null',
        replace: 'from named n where transfers.id = n.id and transfers.invoice_id is null',
      },
    ],
    suite: 'test/engine/account-references.test.ts',
    title: 'a payment that names a quote of a test store, from before those touched no live network, pays nothing',
  },
  {
    name: 'reverted-stops-nobody',
    edits: [
      {
        file: 'src/invoices/apply-transfers.ts',
        find: 'if (await stopAccount(tx, { network, account }',
        replace: "if (transId === '' && await stopAccount(tx, { network, account }",
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a payment that vanishes after completion stops its account alone, until it is back',
  },
  {
    name: 'gate-of-the-settling-tier',
    edits: [
      {
        file: 'src/quotes/open-quote.ts',
        find: "import { EXCHANGE_GATE_TIER, isExchange } from '../networks/exchange-networks.ts';",
        replace: "import { isExchange } from '../networks/exchange-networks.ts';",
      },
      {
        file: 'src/quotes/open-quote.ts',
        find: 'gateTier: isExchange(network) ? EXCHANGE_GATE_TIER : null,',
        replace: "gateTier: isExchange(network) ? 'credited' : null,",
      },
    ],
    suite: 'test/exchanges/scenarios.test.ts',
    title: 'a payment after the end pays nothing',
  },
  {
    name: 'sandbox-pays-live',
    edits: [
      {
        file: 'src/transfers/owning-quote-sql.ts',
        find: 'q.invoice_id) = ${!isSandboxId(network)}::boolean`;',
        replace: "q.invoice_id) = ${!isSandboxId(network) || network !== ''}::boolean`;",
      },
    ],
    suite: 'test/sandbox/scenarios.test.ts',
    title: 'an invoice that is paid exactly',
  },
  {
    name: 'explains-what-is-locked',
    edits: [
      {
        file: 'src/invoices/explain-transfers.ts',
        find: 'await endExplaining(tx, locked);',
        replace: 'await endExplaining(tx, locked.length < ids.length ? ids : locked);',
      },
    ],
    suite: 'test/sandbox/engine.test.ts',
    title: 'a transfer that a reader has locked is explained later, and not called unknown',
  },
  {
    name: 'test-money-attached',
    edits: [
      {
        file: 'src/invoices/attach-transfer.ts',
        find: 'if (isSandboxId(input.network)) throw new Refusal',
        replace: "if (isSandboxId(input.network) && input.transId === '') throw new Refusal",
      },
    ],
    suite: 'test/sandbox/engine.test.ts',
    title: 'money of the sandbox is never attached to an invoice, whoever the merchant is, and stands in no inbox',
  },
  {
    name: 'payer-not-asked',
    edits: [
      {
        file: 'src/invoices/match-sql.ts',
        find: 'where f.id = t.id) desc nulls last, `',
        replace: 'where f.id = t.id) is null, `',
      },
    ],
    suite: 'test/sandbox/same-amount.test.ts',
    title: 'a payment that no reader has seen pays the invoice that its payer meant, wherever time has moved it',
  },
  {
    name: 'attached-twice',
    edits: [
      {
        file: 'src/invoices/attach-transfer.ts',
        find: "import { decideAttachment, lockAsked } from './attachment-sql.ts';",
        replace: "import { decideAttachment } from './attachment-sql.ts';",
      },
      {
        file: 'src/invoices/attach-transfer.ts',
        find: lines(
          "  if (facts.pays) return new Refusal('TRANSFER_PAYS_ALREADY');",
          "  if (facts.completed) return new Refusal('INVOICE_PAID');",
          '',
        ),
        replace: '',
      },
      {
        file: 'src/invoices/attach-transfer.ts',
        find: '    if (request && !(await lockAsked(tx, request.id))) return;\n',
        replace: '',
      },
    ],
    suite: 'test/dashboard/unmatched.test.ts',
    title: 'waits for a worker, can be asked about, and is the same request when it is repeated',
  },
  {
    name: 'requests-counted-unlocked',
    edits: [
      {
        file: 'src/invoices/ask-attachment.ts',
        find: 'await holdMerchant(tx, merchantAccountId);',
        replace: 'await holdMerchant(tx, 0n);',
      },
    ],
    suite: 'test/dashboard/unmatched.test.ts',
    title: 'is one of a thousand in a day, however many are left at once and while workers settle',
  },
  {
    name: 'dismissal-not-audited',
    edits: [
      {
        file: 'src/invoices/dismiss-transfer.ts',
        find: "import { recordAudit } from '../audit/record-audit.ts';\n",
        replace: '',
      },
      {
        file: 'src/invoices/dismiss-transfer.ts',
        find: lines(
          '    const { network, txId, index } = transfer;',
          '    await recordAudit(tx, clock, actor, {',
          "      action: 'transfer.dismiss',",
          '      subject: `merchant:${merchantAccountId}`,',
          '      details: { network, txId, index, note },',
          '    });',
          '',
        ),
        replace: '',
      },
    ],
    suite: 'test/dashboard/unmatched.test.ts',
    title: 'is hidden with its note, can be shown and taken back, and each act is audited',
  },
  {
    name: 'ambiguous-payment-is-shown',
    edits: [
      {
        file: 'src/invoices/unmatched-transfer.ts',
        find: 'quoteId: near.length === 1 && only ? only.quoteId : null,',
        replace: 'quoteId: only ? only.quoteId : null,',
      },
    ],
    suite: 'test/engine/claims.test.ts',
    title: 'a wrong amount that may be for several invoices is asked about on all of their pages, and shown on none',
  },
  {
    name: 'claims-of-other-stores',
    edits: [
      {
        file: 'src/invoices/claim-sql.ts',
        find: 'and n.store_id = any(${storeIds}::bigint[]) and',
        replace: 'and ${storeIds}::bigint[] is not null and',
      },
    ],
    suite: 'test/engine/claims.test.ts',
    title: 'a claim is shown to no other store, and a hash that paid another address is no claim',
  },
];
