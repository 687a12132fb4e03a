import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/header.css';
import './styles/layout.css';
import './styles/chart.css';
import './styles/data.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App';
import { ServicesContext } from './app/context';
import { startServices } from './app/services';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');

const services = startServices(window);

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <App />
    </ServicesContext>
  </StrictMode>,
);
