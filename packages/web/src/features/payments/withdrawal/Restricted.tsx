import type { CurrencyCode } from '@tern/money/currency'
import { withdrawals } from '#messages/withdrawals.ts'
import { formatDateTime } from '../../../ui/format/format.ts'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import type { WithdrawalEstimate } from './use-withdrawal.ts'

interface RestrictedProps {
  parts: WithdrawalEstimate['restricted']
  currency: CurrencyCode
}

/** What of the balance cannot go to a bank yet, from when it can, and why. */
export function Restricted({ parts, currency }: RestrictedProps) {
  return (
    <>
      <h2 className="field-label mt-6">{withdrawals.later}</h2>
      <ul className="small mt-2 grid gap-2">
        {parts.map(({ amount, reason, from, is_received: isReceived }) => (
          <li key={`${reason} ${from}`}>
            <span className="tabular">
              {withdrawals.partLater[reason](
                formatExactWithSign(amount, currency),
                from === null ? '' : formatDateTime(from),
              )}
            </span>{' '}
            {isReceived && <span className="muted">{withdrawals.partReceived}</span>}
          </li>
        ))}
      </ul>
      <p className="small muted mt-2">{withdrawals.whyLater}</p>
    </>
  )
}
