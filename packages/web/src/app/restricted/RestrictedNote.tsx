import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import type { CurrentUser } from '@tern/contract/identity'
import { add, parseDecimal, toDecimal, zero } from '@tern/money/money'
import { Link } from 'react-router'
import { restricted as texts } from '#messages/payments/restricted.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { paths } from '../paths.ts'
import { walletQuery } from '../session/live.ts'

/**
 * Note in the details of incoming money: the parts of that balance that cannot be withdrawn to a bank yet. Amounts are
 * those of the whole balance, since pooled money cannot be traced to one transaction. Empty if the transaction is older
 * than all restricted money.
 */
export function RestrictedNote({ transaction, user }: { transaction: Transaction; user: CurrentUser }) {
  const { target_currency: currency, timestamp } = transaction
  const { data: wallet } = useQuery(walletQuery(user.id))
  const parts = wallet?.restricted.filter((part) => part.currency === currency) ?? []
  const [first] = parts
  if (!wallet || !first || parts.every(({ since }) => Date.parse(since) > Date.parse(timestamp))) return null
  const sum = parts.reduce((total, { amount }) => add(total, parseDecimal(currency, amount)), zero(currency))
  const amount = formatExact(toDecimal(sum), currency)
  const from = parts.every((part) => part.from === first.from) ? first.from : null
  return (
    <div className="mt-4">
      <Note>
        <span className="tabular">
          {from === null
            ? texts.ofBalanceLater(amount, currency)
            : texts.ofBalanceFrom(amount, currency, formatDateTime(from))}
        </span>{' '}
        {currency !== wallet.base_currency && texts.exchangeFirst(wallet.base_currency)} {texts.whyLater}{' '}
        <Link to={paths.wallet}>{texts.seeWallet}</Link>
      </Note>
    </div>
  )
}
