import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useEffect } from 'react'
import { wallets } from '#messages/wallets.ts'
import { VerifyFirst } from '../../app/shell/VerifyFirst.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const loadForm = () => import('./ConversionForm.tsx')
const ConversionForm = lazyComponent(loadForm, 'ConversionForm')

/** Changes part of the balance into cryptocurrency, or back, at a price that is shown before. */
export function Protection({ user, wallet }: { user: CurrentUser; wallet: Wallet }) {
  useEffect(() => void loadForm(), [])
  return (
    <section>
      <h2 className="display-s">{wallets.protection}</h2>
      <p className="muted mt-1 mb-6">{wallets.protectionText}</p>
      {user.kyc_status === 'verified' ? (
        <Suspense fallback={<SkeletonLine className="h-12 w-full" />}>
          <ConversionForm userId={user.id} wallet={wallet} />
        </Suspense>
      ) : (
        <VerifyFirst status={user.kyc_status} />
      )}
    </section>
  )
}
