import type { ReactNode } from 'react';
import { useRef, useState } from 'react';
import type { Answer } from '../../api/call.ts';
import { call } from '../../api/call.ts';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { invoiceQuery } from '../../api/invoice-queries.ts';
import { may } from '../../api/permission.ts';
import { queryClient } from '../../api/queries.ts';
import { failureText } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import type { OfferedScenario, TestOutcome } from './test-outcome.ts';
import { OFFERED, outcomeOfTest } from './test-outcome.ts';

type Played = Answer<'POST /accounts/{account}/invoices/{invoice}/test-payment'>;

/** The test payer's actions on a waiting invoice of a test store. */
export function PayTest({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const [outcome, setOutcome] = useState<TestOutcome>();
  const chosen = useRef<OfferedScenario>('pay');
  const { trans_id: invoice, status, mode } = history.invoice;
  const { run, busy, failure } = useAction(async () => {
    const asked = { path: { account, invoice }, body: { scenario: chosen.current } };
    const played: Played = await call('POST /accounts/{account}/invoices/{invoice}/test-payment', asked);
    setOutcome(outcomeOfTest(played.acts));
    await queryClient.invalidateQueries(invoiceQuery(account, invoice));
  });
  if (mode !== 'test' || !may(role, 'invoice.create', false)) return null;
  const entries = OFFERED.map((scenario) => ({
    label: t(`tests.as.${scenario}`),
    onSelect: () => {
      chosen.current = scenario;
      run();
    },
  }));
  const said = failure === undefined ? outcome && t(`tests.${outcome}`) : failureText(t, failure);
  return (
    <>
      {status === 'waiting' &&
        (busy ? (
          <Button look="main" busy={t('tests.paying')}>
            {t('tests.pay')}
          </Button>
        ) : (
          <Menu className={buttonClass('main')} groups={[{ title: t('tests.about'), entries }]}>
            {t('tests.pay')}
            <Icon name="down" />
          </Menu>
        ))}
      <span className={failure === undefined && outcome !== 'undone' ? 'small quiet' : 'small bad'} role="status">
        {said}
      </span>
    </>
  );
}
