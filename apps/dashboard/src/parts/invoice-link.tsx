import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export function InvoiceLink({
  account,
  invoice,
  className,
  children,
}: {
  account: string;
  invoice: string;
  className?: string;
  children?: ReactNode;
}): ReactNode {
  return (
    <Link
      to="/m/$account/invoices/$tid"
      params={{ account, tid: invoice }}
      {...(className !== undefined && { className })}
    >
      {children ?? <bdi dir="ltr">{invoice}</bdi>}
    </Link>
  );
}
