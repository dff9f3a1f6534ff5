import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { VisitorFrame } from './VisitorFrame.tsx'

const newQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: 1 } } })

/** Frame of a page for visitors that loads data, which it keeps apart from that of a signed-in person. */
export function VisitorQueryFrame({ children }: { children: ReactNode }) {
  const [queryClient] = useState(newQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <VisitorFrame>{children}</VisitorFrame>
    </QueryClientProvider>
  )
}
