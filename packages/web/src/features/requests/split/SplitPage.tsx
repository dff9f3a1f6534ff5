import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { titles } from '#messages/shell.ts'
import { split } from '#messages/transfers/split.ts'
import { trimLinkValue } from '../../../app/browser/link-text.ts'
import { walletQuery } from '../../../app/session/live.ts'
import { useUser } from '../../../app/session/session.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { FormSkeleton } from '../../../ui/feedback/FormSkeleton.tsx'
import { ActivitySkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const VerificationRequired = lazyComponent(
  () => import('../../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)
const SplitForm = lazyComponent(() => import('./SplitForm.tsx'), 'SplitForm')
const SplitList = lazyComponent(() => import('./SplitList.tsx'), 'SplitList')
const SplitStatus = lazyComponent(() => import('./SplitStatus.tsx'), 'SplitStatus')

/** Splits a bill; with `?id=`, shows the payments of an existing split. */
export default function SplitPage() {
  const user = useUser()
  const [search] = useSearchParams()
  const splitId = search.get('id')
  const id = splitId && trimLinkValue(splitId)
  if (user && id !== null) {
    return (
      <Suspense fallback={<ActivitySkeleton />}>
        <SplitStatus key={id} userId={user.id} id={id} />
      </Suspense>
    )
  }
  return (
    <>
      <h1 className="display-m">{titles.split}</h1>
      <Suspense fallback={<FormSkeleton />}>
        {user ? <UserSplits key={user.id} user={user} /> : <FormSkeleton />}
      </Suspense>
    </>
  )
}

function UserSplits({ user }: { user: CurrentUser }) {
  const isVerified = user.kyc_status === 'verified'
  const wallet = useQuery({ ...walletQuery(user.id), enabled: isVerified })
  if (!isVerified) return <VerificationRequired status={user.kyc_status} />
  if (!wallet.data) return <DataShell query={wallet} skeleton={<FormSkeleton />} failed={split.loadFailed} />
  return (
    <>
      <SplitForm user={user} currency={wallet.data.base_currency} />
      <Suspense>
        <SplitList userId={user.id} />
      </Suspense>
    </>
  )
}
