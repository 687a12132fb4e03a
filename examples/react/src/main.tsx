import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Provider } from 'urql'
import './index.css'
import App from './App.tsx'
import { getAccess, newClient } from './client.ts'

const client = newClient(await getAccess())

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Provider value={client}>
      <App />
    </Provider>
  </StrictMode>,
)
