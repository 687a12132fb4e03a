import { type FocusEvent, type KeyboardEvent, type RefObject, useRef, useState } from 'react';

interface Popup {
  open: boolean;
  toggle: () => void;
  /** Closes it, and gives the focus back to its button. */
  close: () => void;
  button: RefObject<HTMLButtonElement | null>;
  /** The events of the element around the button and what it opens: Escape and leaving it close it. */
  around: { onBlur: (event: FocusEvent) => void; onKeyDown: (event: KeyboardEvent) => void };
}

/** What a button opens beside it. */
export function usePopup(): Popup {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return {
    open,
    toggle: () => setOpen(!open),
    close,
    button,
    around: {
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      },
      onKeyDown: (event) => {
        if (event.key === 'Escape' && open) close();
      },
    },
  };
}
