import type { RestrictedPart } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { useId } from 'react'
import { restricted as texts } from '#messages/payments/restricted.ts'
import { formatDate } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

interface RestrictedProps {
  parts: readonly RestrictedPart[]
  currency: CurrencyCode
  /** Currency to exchange into first, if the balance is in a currency that cannot be withdrawn. */
  exchangeTo?: CurrencyCode | undefined
}

/** Parts of a balance that cannot be withdrawn to a bank yet, with the reason and the date from which they can. */
export function Restricted({ parts, currency, exchangeTo }: RestrictedProps) {
  const labelId = useId()
  return (
    <>
      <p className="field-label mt-6" id={labelId}>
        {texts.later}
      </p>
      <ul className="small mt-2 grid gap-2" aria-labelledby={labelId}>
        {parts.map(({ amount, reason, from, is_received: isReceived }) => (
          <li key={`${reason} ${from}`}>
            <span className="tabular">
              {texts.partLater[reason](formatExact(amount, currency), from === null ? '' : formatDate(from))}
            </span>{' '}
            {isReceived && <span className="muted">{texts.partReceived}</span>}
          </li>
        ))}
      </ul>
      <p className="small muted mt-2">
        {exchangeTo && <>{texts.exchangeFirst(exchangeTo)} </>}
        {texts.whyLater}
      </p>
    </>
  )
}
