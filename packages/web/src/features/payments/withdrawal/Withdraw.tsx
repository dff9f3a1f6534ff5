import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { titles } from '#messages/shell.ts'
import { withdrawals } from '#messages/withdrawals.ts'
import { type MoneyContent, MoneyPage } from '../../../app/orders/MoneyPage.tsx'
import { paths } from '../../../app/paths.ts'
import { refreshMoney } from '../../../app/session/live.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { FormSkeleton } from '../../../ui/feedback/FormSkeleton.tsx'
import { WithdrawalForm } from './WithdrawalForm.tsx'
import type { PlacedWithdrawal } from './use-withdrawal.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

// Loaded lazily: shown before or after the form.
const LinkNote = lazyComponent(() => import('../../../app/instruments/LinkNote.tsx'), 'LinkNote')
const WithdrawalReturn = lazyComponent(() => import('./WithdrawalReturn.tsx'), 'WithdrawalReturn')
const WithdrawalReceipt = lazyComponent(() => import('./WithdrawalReceipt.tsx'), 'WithdrawalReceipt')

/** Withdrawals to a bank account. The provider also returns the browser to this page. */
export default function Withdraw() {
  return <MoneyPage title={titles.withdraw} texts={withdrawals} path={paths.withdraw} Content={Content} />
}

function Content({ user, wallet, methods, onRetry, providerReturn, onOutcome }: MoneyContent) {
  const queryClient = useQueryClient()
  const [placed, setPlaced] = useState<PlacedWithdrawal>()
  const [linkedAccount, setLinkedAccount] = useState<string>()
  const finish = () => {
    onOutcome(undefined)
    setPlaced(undefined)
  }
  if (placed) return <WithdrawalReceipt placed={placed} onRestart={finish} />
  if (!methods) return onRetry ? <ErrorState title={withdrawals.accountsFailed} onRetry={onRetry} /> : <FormSkeleton />
  return (
    <>
      <Suspense>
        {providerReturn?.withdrawal && <WithdrawalReturn userId={user.id} withdrawal={providerReturn.withdrawal} />}
        {providerReturn?.link && (
          <LinkNote userId={user.id} link={providerReturn.link} onLinked={setLinkedAccount} tellsPayee />
        )}
      </Suspense>
      <WithdrawalForm
        userId={user.id}
        wallet={wallet}
        accounts={methods.bank_accounts}
        linkedAccount={linkedAccount}
        onPlaced={(next) => {
          void refreshMoney(queryClient, user.id)
          onOutcome(withdrawals.ordered)
          setPlaced(next)
          scrollTo({ top: 0 })
        }}
      />
    </>
  )
}
