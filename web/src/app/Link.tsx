import type { ComponentProps, MouseEvent } from 'react';
import { useServices } from './context';
import { pageAt } from './routes';

interface LinkProps extends ComponentProps<'a'> {
  href: string;
  /** Whether what the link changes is at the top of the page. */
  toTop?: boolean;
}

/** A link to a page of the dashboard, without a page load. */
export function Link({ href, toTop = false, children, ...rest }: LinkProps) {
  const { address } = useServices();
  const follow = (event: MouseEvent): void => {
    const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (elsewhere) return; // The browser opens new tabs.
    if (pageAt(address.get().path) === null) return; // GraphiQL, or an unknown path.
    event.preventDefault();
    address.go(href);
    if (toTop) window.scrollTo(0, 0);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
