import './styles/dashboard.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { ServicesContext } from './app/context';
import { preload } from './app/pages';
import { startServices } from './app/services';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');

const services = startServices(window);
preload(window.location.pathname);
// The code of a page is gone when the server has been upgraded.
window.addEventListener('vite:preloadError', () => window.location.reload());

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <App />
    </ServicesContext>
  </StrictMode>,
);
