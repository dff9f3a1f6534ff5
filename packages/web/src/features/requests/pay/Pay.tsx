import '../../../css/pay.css'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { openPaymentLink, paymentLink } from '@tern/contract/requests/payment-links'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { pay } from '#messages/transfers/requests.ts'
import { shell, titles } from '#messages/shell.ts'
import { readLinkData } from '../../../app/browser/link-text.ts'
import { useLiveData } from '../../../app/session/live.ts'
import { retryUnlessRefused, buildVisitorQuery } from '../../../app/session/query.ts'
import { VisitorFrame } from '../../../app/shell/VisitorFrame.tsx'
import { callAsVisitor, recallSession, hasCachedUser, useSession } from '../../../app/session/session.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../../ui/feedback/OfflineNote.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { ToastProvider } from '../../../ui/feedback/Toast.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { RequestSummary } from './RequestSummary.tsx'
import { LinkState } from './LinkState.tsx'
import { PayRoute } from './PayRoute.tsx'
import type { SettledPayment } from './member/use-pay.ts'

const columns =
  'relative mx-auto grid min-h-[calc(100dvh-65px)] max-w-360 grid-cols-[minmax(0,1fr)_440px] items-start gap-16 ' +
  'overflow-clip px-16 pt-14 pb-16 max-xl:grid-cols-[minmax(0,1fr)_400px] max-xl:gap-10 max-xl:px-10 ' +
  'max-md:min-h-0 max-md:grid-cols-1 max-md:gap-0 max-md:px-4 max-md:pt-5 max-md:pb-28'

// Loaded lazily: visitors need no payment methods.
const MemberView = lazyComponent(() => import('./member/MemberView.tsx'), 'MemberView')
const VisitorView = lazyComponent(() => import('./VisitorView.tsx'), 'VisitorView')
const Scan = lazyComponent(() => import('./scan/Scan.tsx'), 'Scan')
const GuestReceipt = lazyComponent(() => import('./guest/GuestReceipt.tsx'), 'GuestReceipt')

export const meta = () => [
  { title: shell.pageTitle(titles.pay) },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
]

const newQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 15_000 } } })
const pollMs = 15_000

/** Landing page of a payment link: requester, amount, and payment. */
export default function Pay() {
  const [queryClient] = useState(newQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <LiveData queryClient={queryClient} />
        <VisitorFrame>
          <Content />
        </VisitorFrame>
      </ToastProvider>
    </QueryClientProvider>
  )
}

function LiveData({ queryClient }: { queryClient: QueryClient }) {
  useLiveData(queryClient)
  return null
}

/** Session state; checked once, and only on devices with a cached user. */
function useVisitor() {
  const session = useSession()
  const [isRecalled, setIsRecalled] = useState(false)
  useEffect(() => void recallSession().finally(() => setIsRecalled(true)), [])
  const isUnknown = session.status === 'unknown' && (!isRecalled || hasCachedUser())
  return { user: session.status === 'in' ? session.user : undefined, isUnknown }
}

/** Link or guest receipt named in the address; undefined during prerendering. */
function useAddress() {
  const [search] = useSearchParams()
  const [hasMounted, setHasMounted] = useState(false)
  useEffect(() => setHasMounted(true), [])
  if (!hasMounted) return undefined
  const receipt = search.get('receipt')
  return { data: readLinkData(search.get('data') ?? ''), receipt: receipt && readLinkData(receipt) }
}

function Content() {
  const address = useAddress()
  if (!address) return <LinkSkeleton />
  const { data, receipt } = address
  if (receipt !== null) {
    return (
      <Suspense fallback={<LinkSkeleton />}>
        <GuestReceipt key={receipt} receipt={receipt} />
      </Suspense>
    )
  }
  if (data !== '') return <LinkPage key={data} data={data} />
  return (
    <LinkState state="none">
      <Suspense fallback={<TextSkeleton lines={3} />}>
        <Scan />
      </Suspense>
    </LinkState>
  )
}

const LinkSkeleton = () => (
  <div className="max-w-140 mx-auto py-18 px-4" aria-busy="true">
    <TextSkeleton lines={4} />
  </div>
)

function LinkPage({ data }: { data: string }) {
  const visitor = useVisitor()
  const params = { data }
  const link = useQuery({
    ...buildVisitorQuery(['payment-link'], paymentLink, { params }),
    refetchInterval: pollMs,
    refetchOnWindowFocus: true,
    retry: retryUnlessRefused(2),
  })
  const isLoaded = link.data !== undefined
  const isOwnRequest = visitor.user?.username === link.data?.requester.username
  const shouldCount = isLoaded && !visitor.isUnknown && !isOwnRequest
  useEffect(() => {
    // Views by the requester are not counted; a failed count is ignored.
    if (shouldCount) callAsVisitor(openPaymentLink, { params: { data } }).catch(() => undefined)
  }, [shouldCount, data])
  const isChanged = link.error instanceof Refused && link.error.code === 'link_changed'
  if (isChanged) return <LinkState state="changed" />
  if (!link.data) {
    return (
      <div className="max-w-140 mx-auto py-18 px-4" aria-busy={!link.isError}>
        <DataShell query={link} skeleton={<TextSkeleton lines={4} />} failed={pay.loadFailed} />
      </div>
    )
  }
  if (visitor.isUnknown) return <LinkSkeleton />
  const refresh = () => void link.refetch()
  const renderColumns = (sheet: ReactNode, settled?: Partial<SettledPayment>) => (
    <div className={columns}>
      <div>
        <RequestSummary link={link.data} settled={settled} />
        <PayRoute link={link.data} isPaid={settled !== undefined} />
      </div>
      <div>
        <OfflineNote className="mb-4" readAt={link.dataUpdatedAt} />
        {sheet}
      </div>
    </div>
  )
  return (
    <Suspense fallback={<LinkSkeleton />}>
      {visitor.user ? (
        <MemberView
          key={visitor.user.id}
          user={visitor.user}
          data={data}
          link={link.data}
          onChange={refresh}
          renderColumns={renderColumns}
        />
      ) : (
        <VisitorView data={data} link={link.data} onChange={refresh} renderColumns={renderColumns} />
      )}
    </Suspense>
  )
}
