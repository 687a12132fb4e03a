import type { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { insertText, openEditor, underline } from './codemirror';
import type { Dialect } from './dialect';
import type { Range } from './mistake';
import type { Schema } from './schema';

interface EditorProps {
  /** At first: afterwards, the editor has the text. Another text needs another key. */
  text: string;
  /** Another dialect needs another key. */
  dialect: Dialect;
  schema: Schema | null;
  /** Underlined; null for none. */
  mistake: Range | null;
  /** What is wrong there. */
  problem: string;
  /** Whether the cursor goes to the mistake, as after a run; not while someone types. */
  goToMistake: boolean;
  onChange: (text: string) => void;
  /** Gets the text, which can be newer than that of the page. */
  onRun: (text: string) => void;
  /** Gets a function that inserts a text at the cursor. */
  onOpen: (insert: (text: string) => void) => void;
}

/** An editor of SQL. It is the default export, because it is loaded when the page is shown. */
export default function Editor(props: EditorProps) {
  const { mistake, problem, goToMistake } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor lives longer than the properties of a render.
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const opened = openEditor(element.shadowRoot ?? element.attachShadow({ mode: 'open' }), latest.current.text, {
      label: 'SQL',
      dialect: latest.current.dialect,
      schema: () => latest.current.schema,
      changed: (changed) => latest.current.onChange(changed),
      run: (text) => latest.current.onRun(text),
    });
    view.current = opened;
    if (mayFocus()) opened.focus();
    latest.current.onOpen((inserted) => insertText(opened, inserted));
    return () => opened.destroy();
  }, []);
  useEffect(() => {
    if (view.current !== null) underline(view.current, mistake, problem, goToMistake);
  }, [mistake, problem, goToMistake]);
  return <div ref={host} className="explore-editor" />;
}

/** Reports whether the editor may take the focus: not while someone types elsewhere, nor on a phone, which would open its keyboard. */
function mayFocus(): boolean {
  const isPhone = innerWidth <= 720 || matchMedia('(pointer: coarse)').matches;
  return (
    !isPhone &&
    document.querySelector('dialog[open]') === null &&
    !document.activeElement?.matches('input, select, textarea')
  );
}
