import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

interface TabsProps {
  label: string;
  tabs: { name: string; content: ReactNode }[];
}

/** Tabs after the ARIA pattern: arrow keys select. */
export function Tabs({ label, tabs }: TabsProps) {
  const [shown, setShown] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const press = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + tabs.length) % tabs.length;
    setShown(index);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <>
      <div ref={list} className="segmented row" role="tablist" aria-label={label} onKeyDown={press}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-controls={`${id}-panel`}
            aria-selected={index === shown}
            tabIndex={index === shown ? 0 : -1}
            onClick={() => setShown(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${shown}`}>
        {tabs[shown]?.content}
      </div>
    </>
  );
}
