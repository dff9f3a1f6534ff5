import { useQueryClient } from '@tanstack/react-query'
import { exchangeMoney, quoteRequest } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Wallet } from '@tern/contract/wallets'
import { type CryptoCode, type CurrencyCode, isFiatCode } from '@tern/money/currency'
import { compare, parseDecimal } from '@tern/money/money'
import * as z from 'zod/mini'
import { wallets } from '#messages/wallets.ts'
import { type FormErrors, schemaErrors } from '../../app/forms/resolver.ts'
import { useOrderForm } from '../../app/use-order-form.ts'
import { amountOf, plainAmount } from '../../app/orders/amount.ts'
import { useMoneyOrder } from '../../app/orders/money-order.ts'
import { tabOrderStore } from '../../app/orders/persisted-order.ts'
import { datedQuote, useLiveQuote } from '../../app/orders/quotes.ts'
import { refreshMoney } from '../../app/session/live.ts'
import { callApi } from '../../app/session/session.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { formatExact, formatExactWithSign } from '../../ui/money/exact-amount.ts'

interface Values {
  direction: 'toCrypto' | 'fromCrypto'
  crypto: CryptoCode
  amount: string
}

const orderShape = z.object({ userId: z.int(), ...datedQuote.shape })

/** A price that was accepted, and by whom. */
type ConversionOrder = z.output<typeof orderShape>

/** The conversion of this person that has no answer. */
const conversionStore = (userId: number) =>
  tabOrderStore<ConversionOrder>('convert', (order) => orderShape.safeParse(order).data?.userId === userId)

function useConversionOrder(userId: number, onDone: () => void) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMoneyOrder<ConversionOrder, Reply<typeof exchangeMoney>>({
    store: conversionStore(userId),
    bodyOf: ({ quote }) => ({ quote_id: quote.quote_id }),
    call: ({ quote }, { idempotencyKey }) =>
      callApi(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey }),
    onReply(_reply, { quote }) {
      onDone()
      const { source_amount, source_currency, target_amount, target_currency } = quote
      toast(wallets.converted(formatExact(source_amount, source_currency), formatExact(target_amount, target_currency)))
      void refreshMoney(queryClient, userId)
    },
    onFailure(error) {
      // A price that was refused is of no more use; the page asks for the next one.
      void queryClient.invalidateQueries({ queryKey: ['quote'] })
      return { title: wallets.conversionFailed, detail: error instanceof Refused ? error.message : '' }
    },
  })
}

/** What stands in the form at first: an order without an answer, else nothing. */
function startOf(left: ConversionOrder | undefined): Values {
  if (!left) return { direction: 'toCrypto', crypto: 'USDT', amount: '' }
  const { source_currency: source, target_currency: target, source_amount: amount } = left.quote
  return isFiatCode(source)
    ? { direction: 'toCrypto', crypto: target as CryptoCode, amount }
    : { direction: 'fromCrypto', crypto: source, amount }
}

/** What is to be converted into what, its price, and the order. */
export function useConversion(userId: number, wallet: Wallet) {
  const base = wallet.base_currency
  const order = useConversionOrder(userId, () => form.form.setValue('amount', ''))
  const form = useOrderForm<Values, ConversionOrder>({
    order,
    start: startOf(order.left),
    errorsOf,
    wanted: () => live.priced && { ...live.priced, userId },
  })
  const { direction, crypto, amount: text } = form.values
  const { pending } = order

  const [source, target]: [CurrencyCode, CurrencyCode] = direction === 'toCrypto' ? [base, crypto] : [crypto, base]
  const amount = amountOf(source, text)
  const request = {
    source_currency: source,
    target_currency: target,
    amount: plainAmount(text),
    side: 'source',
  } as const
  const live = useLiveQuote(amount && request, pending)
  const available = wallet.assets.find(({ currency }) => currency === source)?.available ?? '0'
  const needed = live.priced ? parseDecimal(source, live.priced.quote.total) : amount
  const isBeyond = !pending && needed !== undefined && compare(needed, parseDecimal(source, available)) > 0
  const notEnough = isBeyond ? wallets.notEnough(formatExactWithSign(available, source)) : undefined

  function errorsOf(): FormErrors {
    if (!amount) return { amount: wallets.enterAmount }
    return isBeyond ? { amount: notEnough } : schemaErrors(quoteRequest, request)
  }

  return {
    ...form,
    direction,
    crypto,
    source,
    text,
    live,
    available,
    error: form.errorOf('amount') ?? live.refused?.amount ?? notEnough,
    /** Another direction, or another currency to convert from, begins with an empty amount. */
    change(part: Partial<Values>) {
      const isOtherSource = part.direction !== undefined || (part.crypto !== undefined && direction === 'fromCrypto')
      form.form.reset({ direction, crypto, amount: isOtherSource ? '' : text, ...part }, { keepSubmitCount: true })
      order.clear()
    },
  }
}
