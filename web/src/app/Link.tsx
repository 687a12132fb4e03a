import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { useServices } from './context';

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
}

/** A link within the dashboard, which leads there without loading it again. */
export function Link({ href, children, ...rest }: LinkProps) {
  const { address } = useServices();
  const follow = (event: MouseEvent): void => {
    const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (elsewhere) return; // A new tab is the browser's business.
    event.preventDefault();
    address.go(href);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
