import { quoteRequest } from '@tern/contract/exchange'
import type { Wallet } from '@tern/contract/wallets'
import { type CryptoCode, type CurrencyCode, isFiatCode } from '@tern/money/currency'
import { compare, parseDecimal } from '@tern/money/money'
import { wallets } from '#messages/wallets.ts'
import { type FormErrors, schemaErrors } from '../../app/forms/resolver.ts'
import { useOrderForm } from '../../app/use-order-form.ts'
import { parseAmount, plainAmount } from '../../app/orders/amount.ts'
import { type ConversionOrder, useConversionOrder } from '../../app/exchange/conversion-order.ts'
import { useLiveQuote } from '../../app/orders/quotes.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'

interface Values {
  direction: 'toCrypto' | 'fromCrypto'
  crypto: CryptoCode
  amount: string
}

/** Initial values: those of an unanswered order, otherwise empty. */
function initialValues(persisted: ConversionOrder | undefined): Values {
  if (!persisted) return { direction: 'toCrypto', crypto: 'USDT', amount: '' }
  const { source_currency: source, target_currency: target, source_amount: amount } = persisted.quote
  return isFiatCode(source)
    ? { direction: 'toCrypto', crypto: target as CryptoCode, amount }
    : { direction: 'fromCrypto', crypto: source, amount }
}

export function useConversion(userId: number, wallet: Wallet) {
  const base = wallet.base_currency
  const toast = useToast()
  const order = useConversionOrder(userId, {
    failed: wallets.conversionFailed,
    onDone(_transaction, { source_amount, source_currency, target_amount, target_currency }) {
      form.form.setValue('amount', '')
      toast(wallets.converted(formatExact(source_amount, source_currency), formatExact(target_amount, target_currency)))
    },
  })
  const form = useOrderForm<Values, ConversionOrder>({
    order,
    start: initialValues(order.restored),
    validate,
    buildOrder: () => live.priced && { ...live.priced, userId },
  })
  const { direction, crypto, amount: text } = form.values
  const { pending } = order

  const [source, target]: [CurrencyCode, CurrencyCode] = direction === 'toCrypto' ? [base, crypto] : [crypto, base]
  const amount = parseAmount(source, text)
  const request = {
    source_currency: source,
    target_currency: target,
    amount: plainAmount(text),
    side: 'source',
  } as const
  const live = useLiveQuote(amount && request, pending)
  const available = wallet.assets.find(({ currency }) => currency === source)?.available ?? '0'
  const requiredAmount = live.priced ? parseDecimal(source, live.priced.quote.total) : amount
  const exceedsBalance =
    !pending && requiredAmount !== undefined && compare(requiredAmount, parseDecimal(source, available)) > 0
  const shortfallText = exceedsBalance ? wallets.notEnough(formatExact(available, source)) : undefined

  function validate(): FormErrors {
    if (!amount) return { amount: wallets.enterAmount }
    return exceedsBalance ? { amount: shortfallText } : schemaErrors(quoteRequest, request)
  }

  return {
    ...form,
    direction,
    crypto,
    source,
    text,
    live,
    available,
    error: form.fieldError('amount') ?? live.refused?.amount ?? shortfallText,
    /** Changing the direction or the source currency clears the amount. */
    change(part: Partial<Values>) {
      const isOtherSource = part.direction !== undefined || (part.crypto !== undefined && direction === 'fromCrypto')
      form.form.reset({ direction, crypto, amount: isOtherSource ? '' : text, ...part }, { keepSubmitCount: true })
      order.clear()
    },
  }
}
