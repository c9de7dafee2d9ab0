import type { ReactNode } from 'react';

/** Tables that fold into rows of two lines on a phone. Roles are written out: a folded table would lose them. */

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
  /** Whether the whole row is a link: one `<a className="row-link">` in it covers it. */
  link?: boolean;
  /** Whether it is the one that is looked at. */
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
  /** Where it stands on a phone: a line's start or end, a line of its own, a labelled line, a menu after the first line, or nowhere. */
  place: 'first' | 'second' | 'third' | 'fourth' | 'wide' | 'lab' | 'beside' | 'hide';
  /** The label of a labelled line. */
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
