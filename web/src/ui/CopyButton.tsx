import { useEffect, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons';

interface CopyButtonProps {
  label: string;
  /** Whether only screen readers get the label. */
  iconOnly?: boolean;
  text: () => string | Promise<string>;
}

/** How long a button confirms the copy, in milliseconds. */
const saidFor = 2000;

/** Copies text to the clipboard, and confirms it. */
export function CopyButton({ label, iconOnly = false, text }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), saidFor);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    setState((await copyText(await text())) ? 'copied' : 'failed');
  };
  return (
    <button
      type="button"
      className={iconOnly ? 'copy-icon' : 'button'}
      title={iconOnly ? label : undefined}
      onClick={() => void copy()}
    >
      {state === 'copied' ? <CheckIcon /> : <CopyIcon />}
      <span className={iconOnly ? 'visually-hidden' : undefined} aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Copy failed' : label}
      </span>
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text); // Over plain HTTP on another machine, browsers have no clipboard.
  }
}

function copySelected(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
