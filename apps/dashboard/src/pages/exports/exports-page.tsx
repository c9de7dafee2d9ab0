import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { Export } from '../../api/export-queries.ts';
import { exportsQuery, isUnderWay } from '../../api/export-queries.ts';
import { may } from '../../api/permission.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager, ZoneName } from '../../parts/pager.tsx';
import { Table } from '../../parts/table.tsx';
import { usePersonNames } from '../person-names.ts';
import { ExportRow } from './export-row.tsx';
import { VerifyDialog } from './verify-dialog.tsx';

const NewExportDialog = lazy(async () => ({ default: (await import('./new-export-dialog.tsx')).NewExportDialog }));

const ROUTE = '/signed-in/m/$account/exports';

function ExportTable({ list, next }: { list: readonly Export[]; next: string | null }): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account } = useAccount();
  const { after } = useSearch({ from: ROUTE });
  const [verified, setVerified] = useState<Export>();
  const stores = useQuery(storesQuery(account)).data?.stores ?? [];
  const storeName = (code: string) => stores.find(({ merchant_id: id }) => id === code)?.name ?? code;
  const personName = usePersonNames();
  const columns = [
    { title: t('exports.what') },
    { title: t('exports.period') },
    { title: t('exports.asked') },
    { title: t('exports.rows'), end: true },
    { title: t('stores.status') },
    { title: t('table.actions'), end: true, hidden: true },
  ];
  const onPage = (to: string | undefined) =>
    void navigate({ to: '/m/$account/exports', params: { account }, search: to === undefined ? {} : { after: to } });
  return (
    <div className="card">
      <Table label={t('exports.title')} columns={columns}>
        {list.map((one) => (
          <ExportRow
            key={one.export}
            account={account}
            one={one}
            storeName={storeName}
            personName={personName}
            onVerify={() => setVerified(one)}
          />
        ))}
      </Table>
      <Pager after={after} next={next} onPage={onPage}>
        <ZoneName />
      </Pager>
      <span className="vh" role="status">
        {list.some(isUnderWay) ? t('exports.making') : ''}
      </span>
      {verified && <VerifyDialog one={verified} onClose={() => setVerified(undefined)} />}
    </div>
  );
}

export function ExportsPage(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account, role } = useAccount();
  const { after, new: kind, store } = useSearch({ from: ROUTE });
  const query = useQuery(exportsQuery(account, after));
  const open = (next: { new: Export['kind'] } | Record<string, never>) =>
    void navigate({ to: '/m/$account/exports', params: { account }, search: next, replace: true });
  const make = may(role, 'export.make') && (
    <Button look="main" icon="plus" onClick={() => open({ new: 'invoices' })}>
      {t('exports.new')}
    </Button>
  );
  const isEmpty = query.data?.exports.length === 0 && after === undefined;
  return (
    <>
      <PageHead title={t('exports.title')} about={t('exports.about')} actions={query.data && !isEmpty && make} />
      <Loaded query={query} role={role} permission="export.see" bones="table">
        {({ exports: list, next }) =>
          isEmpty ? (
            <Empty icon="export" title={t('exports.none')} actions={make}>
              {t('exports.noneAbout')}
            </Empty>
          ) : (
            <ExportTable list={list} next={next} />
          )
        }
      </Loaded>
      {kind !== undefined && may(role, 'export.make') && (
        <Suspense>
          <NewExportDialog account={account} kind={kind} store={store} onClose={() => open({})} />
        </Suspense>
      )}
    </>
  );
}
