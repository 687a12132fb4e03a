import { env } from 'node:process'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The page gets its token from the backend of the app, on the page's own origin.
const proxy = { '/token': env.BACKEND_URL ?? 'http://127.0.0.1:3000' }

export default defineConfig({
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
})
