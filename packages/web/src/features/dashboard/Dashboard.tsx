import '../../css/home.css'
import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Link } from 'react-router'
import { dashboard } from '#messages/home/dashboard.ts'
import { paths } from '../../app/paths.ts'
import { transactionsQuery, walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { isZero } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { isUpcoming } from '../../ui/money/activity.ts'
import { BalanceHistory } from './BalanceHistory.tsx'
import { BalancePanel } from './BalancePanel.tsx'
import type { FirstStep } from './FirstSteps.tsx'
import { newest, type Recent, RecentActivity } from './RecentActivity.tsx'
import { ThisMonth } from './ThisMonth.tsx'

/** First page after signing in: balance, month, quick actions, history and recent transactions. */
export default function Dashboard() {
  const user = useUser()
  const wallet = useQuery(walletQuery(user?.id))
  const recent = useQuery(transactionsQuery(user?.id, newest))
  const firstStep = findFirstStep(user, wallet.data, recent.data)
  const hasOnlyUpcoming = recent.data?.transactions.every(isUpcoming) ?? false
  const name = user && (user.profile.first_name || user.username || dashboard.someone)
  return (
    <>
      <h1 className="display-m">{name ? dashboard.welcomeName(name) : dashboard.welcome}</h1>
      <p className="muted">{dashboard.overview}</p>
      <OfflineNote className="mt-6" readAt={wallet.dataUpdatedAt} />
      <div className="home-grid">
        <BalancePanel
          wallet={wallet.data}
          user={user}
          firstStep={firstStep}
          failed={wallet.isError}
          onRetry={() => void wallet.refetch()}
        />
        <ThisMonth wallet={wallet.data} isFirst={firstStep !== undefined} failed={wallet.isError} />
        <QuickActions isVerified={user === undefined || user.kyc_status === 'verified'} />
        {!hasOnlyUpcoming && <BalanceHistory wallet={wallet.data} failed={wallet.isError} />}
        {/* Remounted when the chart above appears or goes, so that it does not move on screen. */}
        <RecentActivity key={String(hasOnlyUpcoming)} recent={recent} />
      </div>
    </>
  )
}

/** Next step before the first transfer; undefined for other users and until the data is loaded. */
function findFirstStep(
  user: CurrentUser | undefined,
  wallet: Wallet | undefined,
  recent: Recent | undefined,
): FirstStep | undefined {
  const isNew =
    recent &&
    recent.total <= recent.transactions.length &&
    // A payment that has not arrived does not count as history.
    recent.transactions.every((transaction) => transaction.transaction_type === 'DEPOSIT' || isUpcoming(transaction))
  if (!user || !wallet || !isNew) return undefined
  if (user.kyc_status !== 'verified') return isZero(wallet.fiat_balance) ? 'verify' : undefined
  return isZero(wallet.fiat_balance) ? 'add' : 'send'
}

const actions = [
  { path: paths.deposit, label: dashboard.addFunds, text: dashboard.addFundsText, icon: 'deposit' },
  { path: paths.withdraw, label: dashboard.withdrawFunds, text: dashboard.withdrawFundsText, icon: 'bank' },
  { path: paths.receive, label: dashboard.request, text: dashboard.requestText, icon: 'receive' },
  { path: paths.transactions, label: dashboard.transactions, text: dashboard.transactionsText, icon: 'list' },
] as const

function QuickActions({ isVerified }: { isVerified: boolean }) {
  return (
    <nav className="quick-actions" aria-label={dashboard.quickActions}>
      {actions.map(({ path, label, text, icon }) => (
        <Link key={path} to={path}>
          <Icon name={icon} />
          <b className="font-medium">{label}</b>
          <span className="small muted">
            {isVerified || path === paths.transactions ? text : dashboard.afterVerification}
          </span>
        </Link>
      ))}
    </nav>
  )
}
