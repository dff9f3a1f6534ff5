import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { guardTranslation } from '@tern/web/ui/translation-guard.ts'
import { DeskRoutes } from './DeskRoutes.tsx'
import './css/desk.css'

/** Does not refetch on focus or reconnect, because the server logs each view of a list or an item. */
const client = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failureCount, error) => !(error instanceof Refused) && failureCount < 2,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      staleTime: 5000,
    },
  },
})

guardTranslation()
const place = document.getElementById('desk')
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <BrowserRouter basename="/desk">
          <DeskRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  )
}
