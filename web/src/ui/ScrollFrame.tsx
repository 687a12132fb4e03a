import './table.css';
import { type ClipboardEvent, type ReactNode, type Ref, useEffect, useRef, useState } from 'react';

interface ScrollFrameProps {
  label: string;
  ref?: Ref<HTMLElement>;
  onCopy?: (event: ClipboardEvent) => void;
  children: ReactNode;
}

/** Scrolls its content within its own frame, by pointer and by keyboard. A shadow shows on which side there is more. */
export function ScrollFrame({ label, ref, onCopy, children }: ScrollFrameProps) {
  const frame = useRef<HTMLElement>(null);
  const [more, setMore] = useState('');
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = (): void => setMore(sidesWithMore(element));
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const attach = (element: HTMLElement | null): void => {
    frame.current = element;
    if (typeof ref === 'function') ref(element);
    else if (ref) ref.current = element;
  };
  return (
    <div className="scroll-edges" data-more={more}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll. */}
      <section ref={attach} className="table-frame frame" aria-label={label} tabIndex={0} onCopy={onCopy}>
        {children}
      </section>
    </div>
  );
}

/** The sides that a frame can be scrolled to, such as "left right". */
function sidesWithMore({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  const sides = [scrollLeft > 1 ? 'left' : '', scrollLeft + clientWidth < scrollWidth - 1 ? 'right' : ''];
  return sides.filter((side) => side !== '').join(' ');
}
