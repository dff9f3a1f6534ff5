import { Link } from 'react-router'
import { dashboard } from '#messages/dashboard.ts'
import { pathIfPresent } from '../../app/paths.ts'
import { Icon } from '../../ui/layout/Icon.tsx'
import type { IconName } from '../../ui/layout/icons.ts'

interface QuickAction {
  /** The page's name in paths.ts; an action shows as soon as its page stands there. */
  readonly page: string
  readonly label: string
  readonly text: string
  readonly icon: IconName
}

const actions: readonly QuickAction[] = [
  { page: 'deposit', label: dashboard.addFunds, text: dashboard.addFundsText, icon: 'deposit' },
  { page: 'withdraw', label: dashboard.withdrawFunds, text: dashboard.withdrawFundsText, icon: 'bank' },
  { page: 'receive', label: dashboard.request, text: dashboard.requestText, icon: 'request' },
  { page: 'transactions', label: dashboard.transactions, text: dashboard.transactionsText, icon: 'list' },
]

/** The ways on from the dashboard: ruled columns, no boxes. */
export function QuickActions() {
  return (
    <nav className="quick-actions" aria-label={dashboard.quickActions}>
      {actions.map(({ page, label, text, icon }) => {
        const path = pathIfPresent(page)
        return (
          path && (
            <Link key={page} to={path}>
              <Icon name={icon} />
              <b>{label}</b>
              <span>{text}</span>
            </Link>
          )
        )
      })}
    </nav>
  )
}
