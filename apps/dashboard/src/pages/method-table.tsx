import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { networkOf } from '../api/networks.ts';
import { may } from '../api/permission.ts';
import type { Methods } from '../api/queries.ts';
import { useAccount } from '../frame/membership.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { ShortAddress } from '../parts/code-text.tsx';
import { Empty } from '../parts/empty.tsx';
import { NetworkMark } from '../parts/network-mark.tsx';
import { Cell, Row, Table } from '../parts/table.tsx';
import { RemoveMethodDialog } from './remove-method-dialog.tsx';

type Method = Methods['methods'][number];

function MethodRow({ method, onRemove }: { method: Method; onRemove: (() => void) | undefined }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { name, standard, tokens, family } = networkOf(method.network);
  const kind = family === 'exchange' ? t('methods.exchange') : standard;
  return (
    <Row>
      <Cell place="first">
        <span className="row gap-3">
          <NetworkMark id={method.network} />
          <span className="two">
            <strong className="strong">{name}</strong>
            <span className="t2">{kind}</span>
          </span>
        </span>
      </Cell>
      <Cell place="hide">
        <bdi dir="ltr" className="quiet small">
          {tokens.join(', ')}
        </bdi>
      </Cell>
      <Cell place="lab" label={t('methods.landsAt')}>
        <ShortAddress address={method.address} />
      </Cell>
      <Cell place="lab" label={t('methods.since')}>
        <span className="quiet num nowrap">{moments.short(method.added_at)}</span>
      </Cell>
      <Cell place="wide" end>
        {onRemove && (
          <Button look="quiet" small aria-label={t('methods.removeOf', { name })} onClick={onRemove}>
            {t('methods.remove')}
          </Button>
        )}
      </Cell>
    </Row>
  );
}

type MethodTableProps = { methods: readonly Method[]; isTest: boolean; onAdd: (() => void) | undefined };

export function MethodTable({ methods, isTest, onAdd }: MethodTableProps): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { store } = useParams({ from: '/signed-in/m/$account/stores/$store/methods' });
  const [removing, setRemoving] = useState<Method>();
  if (methods.length === 0) {
    return (
      <Empty
        icon="plus"
        title={t('methods.none')}
        actions={onAdd && <Button onClick={onAdd}>{t('methods.add')}</Button>}
      >
        {t('methods.noneAbout')}
      </Empty>
    );
  }
  // Sandbox methods of a test store cannot be removed.
  const mayRemove = !isTest && may(role, 'method.change', true);
  const columns = [
    { title: t('methods.network') },
    { title: t('methods.tokens') },
    { title: t('methods.landsAt') },
    { title: t('methods.since') },
    { title: t('table.actions'), end: true, hidden: true },
  ];
  return (
    <section className="card" aria-labelledby="methods">
      <div className="card-head">
        <h2 id="methods">{t('methods.title')}</h2>
        <span className="small quiet">{isTest ? t('methods.testLands') : t('methods.lands')}</span>
      </div>
      <Table label={t('methods.title')} columns={columns}>
        {methods.map((method) => (
          <MethodRow
            key={`${method.network} ${method.address}`}
            method={method}
            onRemove={mayRemove ? () => setRemoving(method) : undefined}
          />
        ))}
      </Table>
      {removing && (
        <RemoveMethodDialog account={account} store={store} method={removing} onClose={() => setRemoving(undefined)} />
      )}
    </section>
  );
}
