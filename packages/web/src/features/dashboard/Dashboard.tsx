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
import { BalanceHistory } from './BalanceHistory.tsx'
import { BalancePanel } from './BalancePanel.tsx'
import type { FirstStep } from './FirstSteps.tsx'
import { newest, RecentActivity } from './RecentActivity.tsx'
import { ThisMonth } from './ThisMonth.tsx'

/** The first page after signing in: what there is, what happened, and what can be done. */
export default function Dashboard() {
  const user = useUser()
  const wallet = useQuery({ ...walletQuery(user?.id ?? 0), enabled: user !== undefined })
  const firstStep = useFirstStep(user, wallet.data)
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
        <BalanceHistory wallet={wallet.data} failed={wallet.isError} />
        <RecentActivity userId={user?.id} />
      </div>
    </>
  )
}

/** What is next before the first transfer; undefined for everybody else, and as long as nobody knows. */
function useFirstStep(user: CurrentUser | undefined, wallet: Wallet | undefined): FirstStep | undefined {
  const { data } = useQuery({ ...transactionsQuery(user?.id ?? 0, newest), enabled: user !== undefined })
  const isNew =
    data &&
    data.total <= data.transactions.length &&
    data.transactions.every(
      // What is not yet theirs is no past.
      ({ transaction_type: type, status }) => type === 'DEPOSIT' || (type === 'RECEIVE' && status === 'PENDING'),
    )
  if (!user || !wallet || !isNew) return undefined
  if (user.kyc_status !== 'verified') return isZero(wallet.fiat_balance) ? 'verify' : undefined
  return isZero(wallet.fiat_balance) ? 'add' : 'send'
}

const actions = [
  { path: paths.deposit, label: dashboard.addFunds, text: dashboard.addFundsText, icon: 'deposit', waits: true },
  {
    path: paths.withdraw,
    label: dashboard.withdrawFunds,
    text: dashboard.withdrawFundsText,
    icon: 'bank',
    waits: true,
  },
  { path: paths.receive, label: dashboard.request, text: dashboard.requestText, icon: 'receive', waits: true },
  {
    path: paths.transactions,
    label: dashboard.transactions,
    text: dashboard.transactionsText,
    icon: 'list',
    waits: false,
  },
] as const

/** Links from the dashboard to what people do most: ruled columns, no boxes. */
function QuickActions({ isVerified }: { isVerified: boolean }) {
  return (
    <nav className="quick-actions" aria-label={dashboard.quickActions}>
      {actions.map(({ path, label, text, icon, waits }) => (
        <Link key={path} to={path}>
          <Icon name={icon} />
          <b className="font-medium">{label}</b>
          <span className="small muted">{waits && !isVerified ? dashboard.afterVerification : text}</span>
        </Link>
      ))}
    </nav>
  )
}
