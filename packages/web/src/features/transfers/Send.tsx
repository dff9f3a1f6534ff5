import '../../css/steps.css'
import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { lazy, Suspense, useEffect, useState } from 'react'
import { shell } from '#messages/shell.ts'
import { transfers } from '#messages/transfers.ts'
import { walletQuery } from '../../app/session/live.ts'
import { paths } from '../../app/paths.ts'
import { useUser } from '../../app/session/session.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { VerifyFirst } from '../../app/shell/VerifyFirst.tsx'
import { Arrived } from './receipt/Arrived.tsx'
import { SendWizard, type SendWizardProps } from './SendWizard.tsx'
import { StepHeading, StepSkeleton } from './StepFrame.tsx'
import { useSendFlow } from './use-send-flow.ts'

const loadReceipt = () => import('./receipt/Sent.tsx')
const Sent = lazy(loadReceipt)

export const meta = () => [{ title: shell.pageTitle(transfers.title) }]

/** Sending money in three steps, and the receipt at their end. */
export default function Send() {
  const user = useUser()
  const flow = useSendFlow()
  const [sent, setSent] = useState<Transaction>()
  useEffect(() => void loadReceipt(), [])
  if (!user) return <Loading />
  if (user.kyc_status !== 'verified') {
    return (
      <>
        <h1 className="display-m">{transfers.title}</h1>
        <VerifyFirst status={user.kyc_status} />
      </>
    )
  }
  if (sent && sent.transaction_id === flow.receipt) {
    return (
      <Suspense fallback={<Loading />}>
        <Sent user={user} transaction={sent} onAnother={flow.startAnother} />
      </Suspense>
    )
  }
  const finish = (transaction: Transaction) => {
    setSent(transaction)
    flow.finish(transaction.transaction_id)
  }
  return (
    <Arrived
      key={`${user.id} ${flow.id}`}
      user={user}
      flow={flow}
      onSent={finish}
      form={(arrival, onAwaited) => (
        <WithWallet user={user} flow={flow} arrival={arrival} onSent={finish} onAwaited={onAwaited} />
      )}
    />
  )
}

type WithWalletProps = Omit<SendWizardProps, 'wallet'>

function WithWallet(props: WithWalletProps) {
  const wallet = useQuery(walletQuery(props.user.id))
  if (wallet.data) return <SendWizard {...props} wallet={wallet.data} />
  if (!wallet.isError) return <Loading />
  const isMissing = wallet.error instanceof Refused && wallet.error.code === 'not_found'
  return (
    <>
      <h1 className="display-m">{transfers.title}</h1>
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

const Loading = () => (
  <>
    <StepHeading step={0} />
    <StepSkeleton />
  </>
)
