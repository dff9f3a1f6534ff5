import type { KycStatus } from '@tern/contract/kyc'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { shell } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { Balance } from '../../ui/money/Balance.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { ScaleBar } from '../../ui/layout/Sheet.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { BalanceGlobe } from './BalanceGlobe.tsx'

// Most people are verified.
const VerificationNote = lazyComponent(() => import('./VerificationNote.tsx'), 'VerificationNote')

interface BalancePanelProps {
  wallet: Wallet | undefined
  verification: KycStatus | undefined
  failed: boolean
  onRetry: () => void
}

/** What the person has, what is on its way, and where their money went: the one number that leads the page. */
export function BalancePanel({ wallet, verification, failed, onRetry }: BalancePanelProps) {
  return (
    <section className="home-panel mt-8 max-md:mt-6" aria-label={dashboard.yourBalance} aria-busy={!wallet && !failed}>
      <ScaleBar />
      <div className="home-panel-map">
        <Suspense>
          {verification === undefined || verification === 'verified' ? (
            wallet && <BalanceGlobe wallet={wallet} />
          ) : (
            <VerificationNote status={verification} />
          )}
        </Suspense>
      </div>
      <div className="home-panel-body">
        <p className="row min-h-7">
          <span className="small muted">{dashboard.yourBalance}</span>
          {wallet && !isZero(wallet.pending) && (
            <span className="tag">
              <Icon name="clock" small />
              {dashboard.pending(formatMoney(wallet.pending, wallet.base_currency, { sign: 'always' }))}
            </span>
          )}
        </p>
        {wallet ? (
          <Balance amount={wallet.fiat_balance} currency={wallet.base_currency} />
        ) : failed ? (
          <div className="mt-6 mb-8 grid justify-items-start gap-4">
            <Note tone="error">{dashboard.walletFailed}</Note>
            <Button onClick={onRetry}>{shell.tryAgain}</Button>
          </div>
        ) : (
          <span className="balance">
            <SkeletonLine className="h-[1em] w-[4.5em]" />
          </span>
        )}
        <LinkButton look="primary" big icon="send" className="mt-auto max-md:w-full" to={paths.send}>
          {dashboard.send}
        </LinkButton>
      </div>
    </section>
  )
}
