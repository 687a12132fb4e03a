import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/chart.css';
import './styles/data.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Client } from './api/client';
import { Session } from './api/session';
import { App } from './app/App';
import { Address } from './app/address';
import { ServicesContext } from './app/context';
import { Preferences } from './app/preferences';
import { openStorage } from './app/storage';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');

const session = new Session(openStorage(() => window.sessionStorage));
// Before anything is requested, and whenever somebody pastes such an address.
session.takeFromAddress(window);
window.addEventListener('hashchange', () => session.takeFromAddress(window));

const store = openStorage(() => window.localStorage);
const services = {
  client: new Client(session),
  session,
  address: new Address(window),
  preferences: new Preferences(store, document.documentElement),
  store,
};

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <App />
    </ServicesContext>
  </StrictMode>,
);
