import '../../css/home.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { dashboard } from '#messages/home/dashboard.ts'
import { paths } from '../../app/paths.ts'
import { walletQuery } from '../../app/session/live.ts'
import { useUser } from '../../app/session/session.ts'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { BalanceHistory } from './BalanceHistory.tsx'
import { BalancePanel } from './BalancePanel.tsx'
import { RecentActivity } from './RecentActivity.tsx'

/** The first page after signing in: what there is, what happened, and what can be done. */
export default function Dashboard() {
  const user = useUser()
  const wallet = useQuery({ ...walletQuery(user?.id ?? 0), enabled: user !== undefined })
  const name = user && (user.profile.first_name || user.username || dashboard.someone)
  return (
    <>
      <h1 className="display-m">{name ? dashboard.welcomeName(name) : dashboard.welcome}</h1>
      <p className="muted">{dashboard.overview}</p>
      <OfflineNote className="mt-6" readAt={wallet.dataUpdatedAt} />
      <BalancePanel
        wallet={wallet.data}
        verification={user?.kyc_status}
        failed={wallet.isError}
        onRetry={() => void wallet.refetch()}
      />
      <QuickActions />
      <div className="two-columns mt-12 max-md:mt-10">
        <BalanceHistory wallet={wallet.data} failed={wallet.isError} />
        <RecentActivity userId={user?.id} />
      </div>
    </>
  )
}

const actions = [
  { path: paths.deposit, label: dashboard.addFunds, text: dashboard.addFundsText, icon: 'deposit' },
  { path: paths.withdraw, label: dashboard.withdrawFunds, text: dashboard.withdrawFundsText, icon: 'bank' },
  { path: paths.transactions, label: dashboard.transactions, text: dashboard.transactionsText, icon: 'list' },
] as const

/** Links from the dashboard to what people do most: ruled columns, no boxes. */
function QuickActions() {
  return (
    <nav className="quick-actions" aria-label={dashboard.quickActions}>
      {actions.map(({ path, label, text, icon }) => (
        <Link key={path} to={path}>
          <Icon name={icon} />
          <b>{label}</b>
          <span>{text}</span>
        </Link>
      ))}
    </nav>
  )
}
