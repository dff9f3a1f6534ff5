import '../../css/requests.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { Suspense, useState } from 'react'
import { receive } from '#messages/transfers/requests.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { FormSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { RequestForm } from './RequestForm.tsx'

// Loaded lazily: most users are verified, and the form works without the created request and the lists.
const VerificationRequired = lazyComponent(
  () => import('../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)
const RequestLists = lazyComponent(() => import('./RequestLists.tsx'), 'RequestLists')
const CreatedRequest = lazyComponent(() => import('./CreatedRequest.tsx'), 'CreatedRequest')

/** Payment requests by link and QR code, with their status. */
export default function Receive() {
  const user = useUser()
  return (
    <>
      <div className="flex flex-wrap gap-x-6 gap-y-2 items-center justify-between">
        <h1 className="display-m">{titles.receive}</h1>
        <LinkButton look="ghost" to={paths.pay}>
          {receive.scan}
        </LinkButton>
      </div>
      <Suspense fallback={<FormSkeleton />}>
        {user ? <UserRequests key={user.id} user={user} /> : <FormSkeleton />}
      </Suspense>
    </>
  )
}

function UserRequests({ user }: { user: CurrentUser }) {
  const isVerified = user.kyc_status === 'verified'
  const wallet = useQuery({ ...walletQuery(user.id), enabled: isVerified })
  const [selectedRequest, setSelectedRequest] = useState<PaymentRequest>()
  if (!isVerified) return <VerificationRequired status={user.kyc_status} />
  if (!wallet.data) return <DataShell query={wallet} skeleton={<FormSkeleton />} failed={receive.loadFailed} />
  const select = (request: PaymentRequest | undefined) => {
    setSelectedRequest(request)
    scrollTo({ top: 0 })
  }
  return (
    <div className="mt-8 grid items-start gap-16 max-xl:grid-cols-1 max-xl:gap-12 max-xl:max-w-160 max-xl:max-md:max-w-none xl:grid-cols-[minmax(0,512px)_minmax(0,1fr)] xl:gap-14 max-md:[&_.action-bar>.button]:px-3.5">
      {selectedRequest ? (
        <Suspense fallback={<FormSkeleton />}>
          <CreatedRequest key={selectedRequest.id} request={selectedRequest} onRestart={() => select(undefined)} />
        </Suspense>
      ) : (
        <RequestForm user={user} currency={wallet.data.base_currency} onCreated={select} />
      )}
      <Suspense fallback={<ActivitySkeleton />}>
        <RequestLists userId={user.id} onShow={select} />
      </Suspense>
    </div>
  )
}
