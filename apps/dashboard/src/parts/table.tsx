import type { ReactNode } from 'react';

/** Tables that fold into two-line rows on a phone. Roles are explicit: a folded table would lose them. */

type Column = { title: string; end?: boolean; hidden?: boolean };

export function Table({
  label,
  columns,
  children,
}: {
  label: string;
  columns: readonly Column[];
  children: ReactNode;
}): ReactNode {
  return (
    <div className="fold">
      <div className="tw">
        <table role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ title, end = false, hidden = false }) => (
                <th key={title} role="columnheader" scope="col" className={end ? 'end' : undefined}>
                  {hidden ? <span className="vh">{title}</span> : title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">{children}</tbody>
        </table>
      </div>
    </div>
  );
}

type RowProps = {
  /** Whether one `<a className="row-link">` covers the row. */
  link?: boolean;
  /** Whether it is the open one. */
  on?: boolean;
  children: ReactNode;
};

export function Row({ link = false, on = false, children }: RowProps): ReactNode {
  const name = [link && 'is-link', on && 'is-on'].filter(Boolean).join(' ');
  return (
    <tr role="row" className={name === '' ? undefined : name}>
      {children}
    </tr>
  );
}

type CellProps = {
  /** Position on a phone: start or end of a line, own line, labelled line, a menu after the first line, or hidden. */
  place: 'first' | 'second' | 'third' | 'fourth' | 'wide' | 'lab' | 'beside' | 'hide';
  label?: string;
  end?: boolean;
  children: ReactNode;
};

export function Cell({ place, label, end = false, children }: CellProps): ReactNode {
  return (
    <td role="cell" className={`${place}${end ? ' end' : ''}`} data-l={label}>
      {children}
    </td>
  );
}
