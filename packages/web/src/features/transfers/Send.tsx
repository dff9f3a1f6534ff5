import '../../css/steps.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { Suspense, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { titles } from '#messages/shell.ts'
import { transfers } from '#messages/transfers.ts'
import { refreshMoney, walletQuery } from '../../app/session/live.ts'
import { paths } from '../../app/paths.ts'
import { readProviderReturn, usePageRestore } from '../../app/provider-page.ts'
import { useUser } from '../../app/session/session.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { removePending, readStored, type SavedTransfer, undoStore } from './pending-transfer.ts'
import { type Arrival, chooseArrival } from './receipt/arrival.ts'
import type { PlacedTransfer } from './receipt/Result.tsx'
import { loadReceipt, SendWizard, type SendWizardProps } from './SendWizard.tsx'
import { StepHeading, StepSkeleton } from './StepFrame.tsx'
import { useSendFlow } from './use-send-flow.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Loaded lazily: most users are verified.
const VerificationRequired = lazyComponent(
  () => import('../../app/shell/VerificationRequired.tsx'),
  'VerificationRequired',
)
const Result = lazyComponent(loadReceipt, 'Result')
const ResumedUndo = lazyComponent(loadReceipt, 'ResumedUndo')
const PaymentReturn = lazyComponent(() => import('./receipt/PaymentReturn.tsx'), 'PaymentReturn')

/** Sends money in three steps, ending with the receipt. */
export default function Send() {
  const queryClient = useQueryClient()
  const user = useUser()
  const flow = useSendFlow()
  const [placedTransfer, setPlacedTransfer] = useState<PlacedTransfer>()
  if (!user) return <SendSkeleton />
  if (user.kyc_status !== 'verified') {
    return (
      <>
        <h1 className="display-m">{titles.send}</h1>
        <Suspense fallback={<StepSkeleton />}>
          <VerificationRequired status={user.kyc_status} />
        </Suspense>
      </>
    )
  }
  if (placedTransfer && placedTransfer.transaction.transaction_id === flow.receipt) {
    return (
      <Suspense fallback={<SendSkeleton />}>
        <Result
          user={user}
          {...placedTransfer}
          onRestart={flow.startAnother}
          onEdit={() => flow.edit(placedTransfer.transaction.transaction_id)}
        />
      </Suspense>
    )
  }
  const finish: SendWizardProps['onSent'] = (transaction, tookMs, saved) => {
    void refreshMoney(queryClient, user.id)
    setPlacedTransfer({ transaction, tookMs, saved })
    flow.finish(transaction.transaction_id)
  }
  const editedTransfer =
    placedTransfer?.transaction.transaction_id === flow.editedId ? placedTransfer?.saved : undefined
  return (
    <TransferFlow
      key={`${user.id} ${flow.id}`}
      user={user}
      flow={flow}
      editedTransfer={editedTransfer}
      onSent={finish}
    />
  )
}

/**
 * One transfer: its form, new or restored, the status of its payment, or its undo window. Removes the provider's query
 * parameters from the address, so that neither a reload nor a bookmark repeats them.
 */
function TransferFlow({
  user,
  flow,
  editedTransfer,
  onSent,
}: Pick<SendWizardProps, 'user' | 'flow' | 'onSent'> & {
  /** Form of a transfer that was undone, to be changed. */
  editedTransfer: SavedTransfer | undefined
}) {
  const [search] = useSearchParams()
  const [providerReturn] = useState(() => readProviderReturn(search))
  const chooseStart = (): Arrival => chooseArrival(providerReturn, readStored(user.id), user.id)
  const [arrival, setArrival] = useState<Arrival | { show: 'undo' }>(() => {
    if (editedTransfer) return { show: 'form', restored: editedTransfer }
    return !providerReturn && undoStore.read() ? { show: 'undo' } : chooseStart()
  })
  const { clearAddress } = flow
  useEffect(() => {
    if (providerReturn) clearAddress()
    // Runs once on mount, since the address changes afterwards.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])
  // A transfer restored into the form is no longer pending, unless its order is unanswered.
  const isUnanswered = arrival.show === 'form' && arrival.restored?.idempotencyKey !== undefined
  useEffect(() => {
    if (arrival.show === 'form' && !isUnanswered && readStored(user.id).status !== 'none') removePending()
    // Runs once per arrival: an order sent from the form since then must stay stored.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [arrival])
  usePageRestore(() => {
    const pendingArrival = chooseArrival(undefined, readStored(user.id), user.id)
    if (pendingArrival.show === 'status') setArrival(pendingArrival)
  })

  if (arrival.show === 'form') {
    const showPending = (saved: SavedTransfer) =>
      setArrival({ show: 'status', userId: user.id, saved, paymentId: saved.paymentId, claim: 'paid' })
    return <SendWithWallet user={user} flow={flow} arrival={arrival} onSent={onSent} onAwaitPayment={showPending} />
  }
  if (arrival.show === 'undo') {
    return (
      <Suspense fallback={<SendSkeleton />}>
        <ResumedUndo
          userId={user.id}
          receipt={flow.receipt}
          onSent={onSent}
          onMissing={() => setArrival(chooseStart())}
        >
          <SendSkeleton />
        </ResumedUndo>
      </Suspense>
    )
  }
  const startAnother = () => {
    removePending()
    flow.startAnother()
  }
  return (
    <Suspense fallback={<StepSkeleton />}>
      <PaymentReturn subject={arrival} onSent={onSent} onForm={setArrival} onRestart={startAnother} />
    </Suspense>
  )
}

function SendWithWallet(props: Omit<SendWizardProps, 'wallet'>) {
  const wallet = useQuery(walletQuery(props.user.id))
  if (wallet.data) return <SendWizard {...props} wallet={wallet.data} />
  if (!wallet.isError) return <SendSkeleton />
  const isMissing = wallet.error instanceof Refused && wallet.error.code === 'not_found'
  return (
    <>
      <h1 className="display-m">{titles.send}</h1>
      {isMissing ? (
        <EmptyState title={transfers.noWallets}>
          <LinkButton look="primary" to={paths.wallet}>
            {transfers.goToWallet}
          </LinkButton>
        </EmptyState>
      ) : (
        <ErrorState title={transfers.walletsFailed} onRetry={() => void wallet.refetch()} />
      )}
    </>
  )
}

const SendSkeleton = () => (
  <>
    <StepHeading step={0} />
    <StepSkeleton />
  </>
)
