import { Link } from 'react-router'
import { dashboard } from '#messages/dashboard.ts'
import { paths } from '../../app/paths.ts'
import { Icon } from '../../ui/icon/Icon.tsx'

const actions = [
  { path: paths.deposit, label: dashboard.addFunds, text: dashboard.addFundsText, icon: 'deposit' },
  { path: paths.withdraw, label: dashboard.withdrawFunds, text: dashboard.withdrawFundsText, icon: 'bank' },
  { path: paths.transactions, label: dashboard.transactions, text: dashboard.transactionsText, icon: 'list' },
] as const

/** Links from the dashboard to what people do most: ruled columns, no boxes. */
export function QuickActions() {
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
