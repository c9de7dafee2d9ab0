import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../../api/permission.ts';
import { brandQuery } from '../../api/store-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BrandForm } from './brand-form.tsx';
import { StoreHead, useStore } from './store-head.tsx';

/** A store's branding and support contact. */
export function BrandPage(): ReactNode {
  const { account, role } = useAccount();
  const { store: id } = useParams({ from: '/signed-in/m/$account/stores/$store/brand' });
  const store = useStore(id);
  const query = useQuery(brandQuery(account, id));
  return (
    <>
      <StoreHead id={id} />
      <Loaded query={query} role={role} permission="invoice.see">
        {(brand) => (
          <BrandForm
            key={id}
            account={account}
            store={id}
            storeName={store?.name ?? id}
            brand={brand}
            mayChange={may(role, 'store.change', store?.mode !== 'test')}
          />
        )}
      </Loaded>
    </>
  );
}
