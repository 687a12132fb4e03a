import './dialog.css';
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  title: string;
  wide?: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}

/** A form above the page. Escape closes it, and closing it returns the focus. */
export function Dialog({ title, wide = false, onClose, onSubmit, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <dialog ref={dialog} className={`dialog box ${wide ? 'dialog-wide' : ''}`} aria-labelledby={id} onClose={onClose}>
      <form className="dialog-form stack" onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        {children}
      </form>
    </dialog>
  );
}
