import { type Money, toDecimal } from '@tern/money/money'
import { payments } from '#messages/payments.ts'
import type { BarLines } from '../../../app/OrderForm.tsx'
import type { LiveQuote } from '../../../app/orders/quotes.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'

interface DepositState {
  /** The amount to charge, once it is one. */
  readonly payable: Money | undefined
  /** The wallet has another currency. */
  readonly isConverted: boolean
  readonly live: LiveQuote
  /** The bank pays, and no account is linked. */
  readonly lacksAccount: boolean
}

const texts = payments.bar

/** What a deposit does once its button is pressed, or what is missing for it. */
export function depositBar({ payable, isConverted, live, lacksAccount }: DepositState): BarLines {
  if (!payable) return { title: texts.enterAmount, detail: texts.thenTotal }
  const quote = isConverted ? live.priced?.quote : undefined
  if (isConverted && !quote) {
    const isOut = live.failure !== undefined || live.refused !== undefined
    return isOut ? { title: texts.noPrice, detail: texts.nothingCharged } : { title: texts.pricing, isBusy: true }
  }
  const charged = formatExact(quote?.total ?? toDecimal(payable), payable.currency)
  const gained = quote ? formatExact(quote.target_amount, quote.target_currency) : charged
  return { title: texts.youGet(gained), detail: lacksAccount ? texts.linkFirst : texts.totalToPay(charged) }
}
