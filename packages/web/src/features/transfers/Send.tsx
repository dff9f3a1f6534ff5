import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/client'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { shell } from '#messages/shell.ts'
import { transfers } from '#messages/transfers.ts'
import { walletQuery } from '../../live.ts'
import { pathIfPresent } from '../../paths.ts'
import { useUser } from '../../session.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLine } from '../../ui/Skeleton.tsx'
import { Steps } from '../../ui/Steps.tsx'
import { VerifyFirst } from '../../ui/VerifyFirst.tsx'
import { Sent } from './Sent.tsx'
import { SendWizard } from './SendWizard.tsx'

export const meta = () => [{ title: shell.pageTitle(transfers.title) }]

/** Sending money in three steps, and the receipt at their end. */
export default function Send() {
  const user = useUser()
  const { key: visit } = useLocation()
  const [sent, setSent] = useState<Transaction>()
  const [round, setRound] = useState(0)
  // The receipt belongs to one visit of the page: choosing Send in the menu again starts the next transfer.
  useEffect(() => setSent(undefined), [visit])
  if (!user) return <Loading />
  if (user.kyc_status !== 'verified') {
    return (
      <>
        <h1 className="display-m">{transfers.title}</h1>
        <VerifyFirst status={user.kyc_status} />
      </>
    )
  }
  if (sent) {
    const startAgain = () => {
      setSent(undefined)
      setRound(round + 1)
    }
    return <Sent transaction={sent} onAnother={startAgain} />
  }
  // A new round is a new wizard: nothing of the last transfer, least of all its recipient, is left in it.
  return <WithWallet key={`${user.id} ${round}`} user={user} isFirst={round === 0} onSent={setSent} />
}

interface WithWalletProps {
  user: CurrentUser
  isFirst: boolean
  onSent: (transaction: Transaction) => void
}

function WithWallet({ user, isFirst, onSent }: WithWalletProps) {
  const wallet = useQuery(walletQuery(user.id))
  const location = useLocation()
  if (wallet.data) {
    const state = location.state as { cryptoPreSelected?: unknown } | null
    const cryptoPreSelected = isFirst && Boolean(state?.cryptoPreSelected)
    return <SendWizard user={user} wallet={wallet.data} cryptoPreSelected={cryptoPreSelected} onSent={onSent} />
  }
  if (!wallet.isError) return <Loading />
  const isMissing = wallet.error instanceof Refused && wallet.error.code === 'not_found'
  const walletPath = pathIfPresent('wallet')
  return (
    <>
      <h1 className="display-m">{transfers.title}</h1>
      {isMissing ? (
        <EmptyState title={transfers.noWallets}>
          {walletPath && (
            <LinkButton look="primary" to={walletPath}>
              {transfers.goToWallet}
            </LinkButton>
          )}
        </EmptyState>
      ) : (
        <ErrorState title={transfers.walletsFailed} onRetry={() => void wallet.refetch()} />
      )}
    </>
  )
}

function Loading() {
  return (
    <>
      <h1 className="display-m">{transfers.title}</h1>
      <div className="mt-6">
        <Steps steps={transfers.steps} current={0} />
      </div>
      <div className="form-beside" aria-busy="true" aria-label={shell.loading}>
        <div className="grid gap-3">
          <SkeletonLine className="w-24" />
          <div className="radio-list">
            <div className="radio-option">
              <SkeletonLine className="w-2/5" />
            </div>
          </div>
        </div>
      </div>
    </>
  )
}
