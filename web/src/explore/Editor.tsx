import type { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { insertText, openEditor, replaceText, underline } from './codemirror';
import type { Dialect } from './dialect';
import type { Range } from './mistake';
import type { Schema } from './schema';

interface EditorProps {
  text: string;
  /** Another dialect needs another key. */
  dialect: Dialect;
  schema: Schema | null;
  /** Underlined; null for none. */
  mistake: Range | null;
  onChange: (text: string) => void;
  onRun: () => void;
  /** Gets a function that inserts a text at the cursor. */
  onOpen: (insert: (text: string) => void) => void;
}

/** An editor of SQL. It is the default export, because it is loaded when the page is shown. */
export default function Editor(props: EditorProps) {
  const { text, mistake } = props;
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
      run: () => latest.current.onRun(),
    });
    view.current = opened;
    latest.current.onOpen((inserted) => insertText(opened, inserted));
    return () => opened.destroy();
  }, []);
  useEffect(() => {
    if (view.current !== null) replaceText(view.current, text);
  }, [text]);
  useEffect(() => {
    if (view.current !== null) underline(view.current, mistake);
  }, [mistake]);
  return <div ref={host} className="explore-editor" />;
}
