import type { Wallet } from '@tern/contract/wallets'
import type { CryptoCode, CurrencyCode } from '@tern/money/currency'
import { compare, isPositive, type Money, MoneyError, parseDecimal } from '@tern/money/money'
import { type FormEvent, useState } from 'react'
import { wallets } from '#messages/wallets.ts'
import { faultOfField, type LiveQuote, useLiveQuote } from '../../app/orders/quotes.ts'
import { formatExactWithSign } from '../../ui/money/exact-amount.ts'
import { useConversion } from './use-conversion.ts'

export type Direction = 'toCrypto' | 'fromCrypto'

/** The amount as exact money, or undefined while it is none or not above zero. */
function amountOf(currency: CurrencyCode, text: string): Money | undefined {
  try {
    const amount = parseDecimal(currency, text)
    return isPositive(amount) ? amount : undefined
  } catch (error) {
    if (error instanceof MoneyError) return undefined
    throw error
  }
}

const availableOf = (wallet: Wallet, currency: CurrencyCode): string =>
  wallet.assets.find((asset) => asset.currency === currency)?.available ?? '0'

/** What is to be converted into what, its price, and the order. */
export function useConversionForm(userId: number, wallet: Wallet) {
  const base = wallet.base_currency
  const [direction, setDirection] = useState<Direction>('toCrypto')
  const [crypto, setCrypto] = useState<CryptoCode>('USDT')
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const { state, open, convert, clear } = useConversion({ userId, onDone: () => setText('') })

  const [source, target]: [CurrencyCode, CurrencyCode] = direction === 'toCrypto' ? [base, crypto] : [crypto, base]
  const typed = text.replace(/\.$/, '')
  const amount = amountOf(source, typed)
  const asked = useLiveQuote(
    amount && { source_currency: source, target_currency: target, amount: typed, side: 'source' },
  )
  const refused = faultOfField(asked, 'amount')
  const present: LiveQuote = refused === undefined ? asked : { status: 'none' }
  // An order whose outcome is unknown keeps its price on the page until it is known.
  const live: LiveQuote = open ? { status: 'ready', priced: open } : present
  const isLocked = open !== undefined
  const available = availableOf(wallet, source)
  const needed = live.status === 'ready' ? parseDecimal(source, live.priced.quote.total) : amount
  const isBeyond = !isLocked && needed !== undefined && compare(needed, parseDecimal(source, available)) > 0
  const notEnough = isBeyond ? wallets.notEnough(formatExactWithSign(available, source)) : undefined

  function begin(nextText: string): void {
    setText(nextText)
    setError(undefined)
    clear()
  }

  return {
    state,
    direction,
    crypto,
    source,
    text,
    live,
    available,
    isLocked,
    error: error ?? refused ?? notEnough,
    type: begin,
    turn(next: Direction) {
      setDirection(next)
      begin('')
    },
    choose(next: CryptoCode) {
      setCrypto(next)
      begin(direction === 'toCrypto' ? text : '')
    },
    submit(event: FormEvent) {
      event.preventDefault()
      if (!amount && !isLocked) return setError(wallets.enterAmount)
      if (!isBeyond && live.status === 'ready' && state.status !== 'converting') void convert(live.priced)
    },
  }
}
