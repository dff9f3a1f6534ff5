import { type Money, toDecimal } from '@tern/money/money'
import { payments } from '#messages/payments.ts'
import type { BarLines } from '../../../app/OrderForm.tsx'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'

interface DepositState {
  /** Amount to charge; undefined until it is valid. */
  readonly payable: Money | undefined
  /** The deposit is in a currency other than the wallet's. */
  readonly isConverted: boolean
  readonly live: LiveQuote
  /** Bank payment without a linked account. */
  readonly lacksAccount: boolean
}

const texts = payments.bar

/** Action bar of a deposit: its effect, or the missing input. */
export function depositBar({ payable, isConverted, live, lacksAccount }: DepositState): BarLines {
  if (!payable) return { title: texts.enterAmount, detail: texts.thenTotal }
  const quote = isConverted ? live.priced?.quote : undefined
  if (isConverted && !quote) {
    const isUnavailable = live.failure !== undefined || live.refused !== undefined
    return isUnavailable
      ? { title: texts.noPrice, detail: texts.nothingCharged }
      : { title: texts.pricing, isBusy: true }
  }
  const charged = formatExact(quote?.total ?? toDecimal(payable), payable.currency)
  const credited = quote ? formatExact(quote.target_amount, quote.target_currency) : charged
  return { title: texts.youGet(credited), detail: lacksAccount ? texts.linkFirst : texts.totalToPay(charged) }
}
