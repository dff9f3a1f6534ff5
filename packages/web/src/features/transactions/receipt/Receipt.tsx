import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { type Receipt, transactionReceipt } from '@tern/contract/transactions'
import { Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { receiptPage as texts } from '#messages/receipt/page.ts'
import { titles } from '#messages/shell.ts'
import { trimLinkValue } from '../../../app/browser/link-text.ts'
import { paths } from '../../../app/paths.ts'
import { buildQuery, retryUnlessRefused } from '../../../app/session/query.ts'
import { useUser } from '../../../app/session/session.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const FullReceipt = lazyComponent(() => import('./FullReceipt.tsx'), 'FullReceipt')

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const skeleton = (
  <div className="mt-6">
    <TextSkeleton lines={6} />
  </div>
)

/** Receipt of the user's own transaction named in the address. */
export default function ReceiptPage() {
  const user = useUser()
  const [address] = useSearchParams()
  const id = trimLinkValue(address.get('id') ?? '')
  const isValidId = uuid.test(id)
  const receiptQuery = useQuery({
    // The event stream refetches queries of this topic.
    ...buildQuery(['transactions', user?.id], transactionReceipt, { params: { id } }),
    enabled: user !== undefined && isValidId,
    retry: retryUnlessRefused(1),
  })
  const isUnknown =
    user !== undefined &&
    (!isValidId || (receiptQuery.error instanceof Refused && receiptQuery.error.code === 'not_found'))
  if (receiptQuery.data) return <LazyReceipt receipt={receiptQuery.data} />
  return (
    <>
      <h1 className="display-m">{titles.receipt}</h1>
      {isUnknown ? (
        <EmptyState title={texts.notFoundTitle} text={texts.notFoundText}>
          <LinkButton look="primary" to={paths.transactions}>
            {texts.toTransactions}
          </LinkButton>
        </EmptyState>
      ) : (
        <DataShell query={receiptQuery} skeleton={skeleton} failed={texts.failed} />
      )}
    </>
  )
}

function LazyReceipt({ receipt }: { receipt: Receipt }) {
  return (
    <Suspense fallback={<TextSkeleton lines={6} />}>
      <FullReceipt receipt={receipt} />
    </Suspense>
  )
}
