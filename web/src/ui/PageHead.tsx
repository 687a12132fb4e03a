import type { ReactNode } from 'react';

/** The title of a page, and the elements next to it. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="head page-head row">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
