import type { ReactNode } from 'react';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { Proof } from '../../parts/timeline.tsx';
import type { Transfer } from './story.ts';

type Look = NonNullable<Transfer['proof']>;

const HOW: Readonly<Record<string, WordKey>> = {
  logs: 'look.logs',
  blocks: 'look.blocks',
  receipt: 'look.receipt',
  trace: 'look.trace',
  balances: 'look.balances',
  account: 'look.account',
};

function LookRow({ name, look }: { name: string; look: Look }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const how = HOW[look.how ?? ''];
  return (
    <tr>
      <td>{name}</td>
      <td>
        <bdi dir="ltr">{look.by ?? t('look.nobody')}</bdi>
      </td>
      <td className="ph-hide">{how ? t(how) : look.how}</td>
      <td className="end num">{moments.clock(look.at)}</td>
    </tr>
  );
}

/** The two reads that showed a transfer: one provider's alone does not count. */
export function LooksProof({ transfer, open }: { transfer: Transfer; open: boolean }): ReactNode {
  const t = useWords();
  const { decimal } = useMoney();
  const { first_read: first, proof, height, confirmations } = transfer;
  const columns = ['look.look', 'look.provider', 'look.how', 'look.at'] as const;
  return (
    <Proof icon="shield" title={proof ? t('look.two') : t('look.one')} open={open}>
      <div className="tw">
        <table>
          <thead>
            <tr>
              {columns.map((key) => (
                <th key={key} scope="col" className={{ 'look.at': 'end', 'look.how': 'ph-hide' }[key as string]}>
                  {t(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <LookRow name={t('look.first')} look={first} />
            {proof && <LookRow name={t('look.second')} look={proof} />}
          </tbody>
        </table>
      </div>
      <p className="sumline">
        {proof && <Icon name="check" />}
        {t('look.block', { height: decimal(String(height)) })}
        {confirmations !== null && ` · ${t('look.confirmations', { count: confirmations })}`}
        {proof && ` · ${t('look.agree')}`}
      </p>
    </Proof>
  );
}
