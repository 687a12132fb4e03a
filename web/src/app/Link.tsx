import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { useServices } from './context';
import { pageAt } from './routes';

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
}

/** A link to a page of the dashboard. Within the dashboard it leads there without loading it again. */
export function Link({ href, children, ...rest }: LinkProps) {
  const { address } = useServices();
  const follow = (event: MouseEvent): void => {
    const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (elsewhere) return; // A new tab is the browser's business.
    if (pageAt(address.place().path) === null) return; // GraphiQL, or a page that was not found.
    event.preventDefault();
    address.go(href);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
