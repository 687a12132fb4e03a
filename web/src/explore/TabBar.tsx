import { type Tabs, titleOf } from './tabs';

interface TabBarProps {
  tabs: Tabs;
  /** The ids of tabs whose SQL is running. */
  running: ReadonlySet<number>;
  onShow: (id: number) => void;
  onClose: (id: number) => void;
  onNew: () => void;
}

/** The open queries: a button for each, one that closes it, and one for another query. */
export function TabBar({ tabs, running, onShow, onClose, onNew }: TabBarProps) {
  return (
    <nav className="explore-tabs" aria-label="Open queries">
      <ul className="explore-tab-list">
        {tabs.tabs.map((tab) => {
          const title = titleOf(tab);
          return (
            <li key={tab.id} data-active={tab.id === tabs.active}>
              <button
                type="button"
                className="explore-tab truncate"
                title={title}
                aria-current={tab.id === tabs.active ? 'true' : undefined}
                onClick={() => onShow(tab.id)}
              >
                {running.has(tab.id) ? '● ' : ''}
                {title}
              </button>
              <button
                type="button"
                className="explore-close"
                aria-label={`Close ${title}`}
                title="Close"
                onClick={() => onClose(tab.id)}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" className="button explore-new" aria-label="New query" title="New query" onClick={onNew}>
        +
      </button>
    </nav>
  );
}
