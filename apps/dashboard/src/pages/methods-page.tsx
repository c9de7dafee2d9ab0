import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { may } from '../api/permission.ts';
import type { Methods, Store } from '../api/queries.ts';
import { methodsQuery } from '../api/queries.ts';
import { useAccount } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { AddWalletDialog } from './add-wallet-dialog.tsx';
import { ChangeHistory } from './change-history.tsx';
import { FactorNote } from './factor-note.tsx';
import { LockDialog } from './lock-dialog.tsx';
import { LockedNote } from './locked-note.tsx';
import { MethodTable } from './method-table.tsx';
import { PendingChange } from './pending-change.tsx';
import { StoreHead, useStore } from './stores/store-head.tsx';

type Open = 'add' | 'lock' | undefined;

type ContentProps = { data: Methods; store: Store | undefined; onAdd: (() => void) | undefined; onLock: () => void };

function Content({ data, store, onAdd, onLock }: ContentProps): ReactNode {
  const pending = data.changes.filter(({ state }) => state === 'pending');
  return (
    <>
      {data.locked_at !== null && <LockedNote lockedAt={data.locked_at} lockedBy={data.locked_by} />}
      {pending.map((change) => (
        <PendingChange key={change.change} change={change} methods={data.methods} onLock={onLock} />
      ))}
      <MethodTable methods={data.methods} isTest={store?.mode === 'test'} onAdd={onAdd} />
      <ChangeHistory changes={data.changes.filter(({ state }) => state !== 'pending')} />
    </>
  );
}

export function MethodsPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { store: id } = useParams({ from: '/signed-in/m/$account/stores/$store/methods' });
  const [open, setOpen] = useState<Open>();
  const query = useQuery(methodsQuery(account, id));
  const store = useStore(id);
  const isLive = store?.mode === 'live';
  const isOpen = query.data?.locked_at === null;
  const mayAdd = isLive && isOpen && may(role, 'method.change', true);
  const actions = isOpen && (
    <>
      <Button icon="lock" onClick={() => setOpen('lock')}>
        {t('methods.lock')}
      </Button>
      {mayAdd && (
        <Button look="main" icon="plus" onClick={() => setOpen('add')}>
          {t('methods.add')}
        </Button>
      )}
    </>
  );
  return (
    <>
      <StoreHead id={id} about={t('methods.about')} actions={actions} />
      {isLive && <FactorNote />}
      <Loaded query={query} role={role} permission="method.see" bones="table">
        {(data) => (
          <Content
            data={data}
            store={store}
            onAdd={mayAdd ? () => setOpen('add') : undefined}
            onLock={() => setOpen('lock')}
          />
        )}
      </Loaded>
      {open === 'add' && <AddWalletDialog account={account} store={id} onClose={() => setOpen(undefined)} />}
      {open === 'lock' && <LockDialog account={account} onClose={() => setOpen(undefined)} />}
    </>
  );
}
