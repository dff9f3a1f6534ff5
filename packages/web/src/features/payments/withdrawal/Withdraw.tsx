import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { lazy, Suspense, useEffect, useState } from 'react'
import { withdrawals } from '#messages/withdrawals.ts'
import { titles } from '#messages/shell.ts'
import { paymentMethodsQuery } from '../../../app/instruments/payment-methods.ts'
import { type ProviderReturn, useProviderReturn } from '../../../app/provider-page.ts'
import { FormSkeleton, MoneyPage } from '../../../app/orders/MoneyPage.tsx'
import { paths } from '../../../app/paths.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import type { Ordered } from './use-withdrawal.ts'

// The form is fetched beside the wallet it needs; what is shown before or after it, when that is needed.
const loadForm = () => import('./WithdrawalForm.tsx')
const WithdrawalForm = lazy(async () => ({ default: (await loadForm()).WithdrawalForm }))
const LinkNote = lazy(async () => ({ default: (await import('../../../app/instruments/LinkNote.tsx')).LinkNote }))
const WithdrawalReturn = lazy(async () => ({ default: (await import('./WithdrawalReturn.tsx')).WithdrawalReturn }))
const WithdrawalOrdered = lazy(async () => ({ default: (await import('./WithdrawalOrdered.tsx')).WithdrawalOrdered }))

/** Paying out to a bank account, and the page people come back to from the provider. */
export default function Withdraw() {
  const returned = useProviderReturn(paths.withdraw)
  useEffect(() => void loadForm(), [])
  return (
    <MoneyPage title={titles.withdraw} texts={withdrawals}>
      {(user, wallet) => <WithWallet user={user} wallet={wallet} returned={returned} />}
    </MoneyPage>
  )
}

interface WithWalletProps {
  user: CurrentUser
  wallet: Wallet
  returned: ProviderReturn | undefined
}

function WithWallet({ user, wallet, returned }: WithWalletProps) {
  const queryClient = useQueryClient()
  const methods = useQuery(paymentMethodsQuery(user.id))
  const [ordered, setOrdered] = useState<Ordered>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  if (ordered) {
    const onAnother = () => setOrdered(undefined)
    return (
      <Suspense fallback={<FormSkeleton />}>
        <WithdrawalOrdered {...ordered} currency={wallet.base_currency} onAnother={onAnother} />
      </Suspense>
    )
  }
  if (!methods.data) {
    if (!methods.isError) return <FormSkeleton />
    return <ErrorState title={withdrawals.accountsFailed} onRetry={() => void methods.refetch()} />
  }
  return (
    <>
      <Suspense>
        {returned?.withdrawal && <WithdrawalReturn withdrawal={returned.withdrawal} />}
        {returned?.link && <LinkNote userId={user.id} link={returned.link} onLinked={setLinkedAccount} />}
      </Suspense>
      <Suspense fallback={<FormSkeleton />}>
        <WithdrawalForm
          userId={user.id}
          wallet={wallet}
          accounts={methods.data.bank_accounts}
          linkedAccount={linkedAccount}
          onOrdered={(next) => {
            void refreshMoney(queryClient, user.id)
            setOrdered(next)
            scrollTo({ top: 0 })
          }}
        />
      </Suspense>
    </>
  )
}
