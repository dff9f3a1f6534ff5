import { shell } from '#messages/shell.ts'
import { classNames } from '../icon/class-names.ts'
import { formatMoney } from '../format/format.ts'

interface AmountProps {
  /** A decimal string; the sign comes from `direction`. */
  amount: string
  currency: string
  /** Money in is green with a plus, money out red with a minus, neither stays plain. */
  direction?: 'in' | 'out' | undefined
}

/** One amount of money: exact, with its currency, and with a sign when it moved. */
export function Amount({ amount, currency, direction }: AmountProps) {
  const size = amount.replace(/^[-+−]/, '')
  const signed = direction === 'out' ? `-${size}` : direction === 'in' ? size : amount
  return (
    <span className={classNames('amount', direction && `amount-${direction}`)}>
      {direction && <span className="visually-hidden">{direction === 'in' ? shell.moneyIn : shell.moneyOut} </span>}
      <span translate="no">{formatMoney(signed, currency, { sign: direction ? 'always' : 'negative' })}</span>
    </span>
  )
}
