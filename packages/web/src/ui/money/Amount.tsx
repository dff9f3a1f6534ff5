import { shell } from '#messages/shell.ts'
import { classNames } from '../icon/class-names.ts'
import { formatMoney } from '../format/format.ts'

interface AmountProps {
  /** A decimal string; `direction`, if given, determines the sign. */
  amount: string
  currency: string
  /** Money in is green with a plus, money out red with a minus; plain without a direction. */
  direction?: 'in' | 'out' | undefined
}

/** Amount of money with its currency, signed if it moved; cryptocurrencies are cut to 8 decimals. */
export function Amount({ amount, currency, direction }: AmountProps) {
  const unsignedAmount = amount.replace(/^[-+−]/, '')
  const signedAmount = direction === 'out' ? `-${unsignedAmount}` : direction === 'in' ? unsignedAmount : amount
  return (
    <span className={classNames('amount', direction && `amount-${direction}`)}>
      {direction && <span className="visually-hidden">{direction === 'in' ? shell.moneyIn : shell.moneyOut} </span>}
      <span translate="no">{formatMoney(signedAmount, currency, { sign: direction ? 'always' : 'negative' })}</span>
    </span>
  )
}
