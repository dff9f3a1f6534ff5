import type { Wallet } from '@tern/contract/wallets'
import { bridgeCurrency, cryptoCodes, type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { computeFee } from '@tern/money/fee'
import { add, compare, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import * as z from 'zod/mini'
import { transfers } from '#messages/transfers.ts'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { parseAmount, plainAmount } from '../../app/orders/amount.ts'
import type { QuoteRequest } from '../../app/orders/quotes.ts'

// Duplicates the contract's shape, which would pull its schemas into every page with a session.
export const personShape = z.object({
  id: z.int(),
  username: z.string(),
  name: z.nullable(z.string()),
  email: z.optional(z.string()),
  base_currency: z.string(),
  country: z.optional(z.nullable(z.string())),
  wallet_address: z.optional(z.string()),
})

export const sendForm = z.object({
  /** Paying balance; undefined until the wallet is loaded. */
  source: z.optional(z.enum(currencyCodes)),
  recipientText: z.string(),
  /** User resolved from the text by the server. */
  recipient: z.optional(personShape),
  /** Plain decimal in the source currency, or in the receiving one if `isExact`. */
  amount: z.string(),
  /** The amount is the exact amount received, to the last unit; the sent amount is derived from it. */
  isExact: z.optional(z.boolean()),
  isCrypto: z.boolean(),
  cryptoCurrency: z.union([z.enum(cryptoCodes), z.literal('')]),
  description: z.string(),
})

export type SendForm = z.output<typeof sendForm>

export const emptyForm = (cryptoPreSelected = false): SendForm => ({
  recipientText: '',
  amount: '',
  isCrypto: cryptoPreSelected,
  cryptoCurrency: cryptoPreSelected ? 'BTC' : bridgeCurrency,
  description: '',
})

/** Available balance in one currency of the wallet, as a decimal string. */
export const findBalance = (wallet: Wallet, currency: CurrencyCode): string =>
  wallet.assets.find((asset) => asset.currency === currency)?.available ?? '0'

/** Balances that can pay a transfer: always the main currency, and others with money. */
export const listSources = (wallet: Wallet): readonly { currency: CurrencyCode; available: string }[] =>
  wallet.assets.filter(({ currency, available }) => currency === wallet.base_currency || /[1-9]/.test(available))

/** The only balance with money; undefined if there is none or several. */
export function findOnlySource(wallet: Wallet): CurrencyCode | undefined {
  const [onlyAsset, ...otherAssets] = wallet.assets.filter(({ available }) => /[1-9]/.test(available))
  return otherAssets.length === 0 ? onlyAsset?.currency : undefined
}

/** Receiving currency: the chosen cryptocurrency, otherwise the recipient's own. */
export const chooseTarget = (form: SendForm): CurrencyCode | undefined =>
  form.isCrypto ? form.cryptoCurrency || undefined : (form.recipient?.base_currency as CurrencyCode | undefined)

export const inputCurrency = (form: SendForm): CurrencyCode | undefined =>
  (form.isExact ? chooseTarget(form) : undefined) ?? form.source

/** The amount as money; undefined if invalid. */
export function parseMoney(form: SendForm) {
  const currency = inputCurrency(form)
  return currency && parseAmount(currency, form.amount)
}

/** Request for a price; undefined until the form is complete. */
export function buildQuoteRequest(form: SendForm): QuoteRequest | undefined {
  const amount = parseMoney(form)
  const target = chooseTarget(form)
  if (!amount || !target || !form.source || !form.recipient) return undefined
  return {
    source_currency: form.source,
    target_currency: target,
    amount: plainAmount(form.amount),
    side: form.isExact ? 'target' : 'source',
    recipient_id: form.recipient.id,
  }
}

/**
 * Shortfall of the balance, as a decimal string in the source currency; undefined if it suffices or is unknown.
 * Compares with the quoted `total` (a decimal string) if given, otherwise with the amount plus one percent; an exact
 * amount needs its quote.
 */
export function computeShortfall(form: SendForm, wallet: Wallet, total: string | undefined): string | undefined {
  const amount = parseMoney(form)
  const { source } = form
  if (!amount || !source || (total === undefined && amount.currency !== source)) return undefined
  const requiredAmount = total === undefined ? add(amount, computeFee(amount, 100n)) : parseDecimal(source, total)
  const balance = parseDecimal(source, findBalance(wallet, source))
  return compare(requiredAmount, balance) > 0 ? toDecimal(subtract(requiredAmount, balance)) : undefined
}

/** Message for a transfer to oneself, by payment method. */
export const describeSelfTransfer = (isOutside: boolean): string =>
  isOutside ? transfers.notYourselfByCard : transfers.notYourself

/**
 * Errors that block the review, in field order. The balance is checked only if the wallet pays alone (`isOutside`
 * false).
 */
export function validateSend(
  form: SendForm,
  wallet: Wallet,
  ownId: number,
  total: string | undefined,
  isOutside = false,
): FormErrors<keyof SendForm> {
  const errors: FormErrors<keyof SendForm> = {}
  if (!form.source) errors.source = transfers.selectWallet
  if (!form.recipient) errors.recipient = isOutside ? transfers.recipientMissing : transfers.selectRecipient
  else if (form.recipient.id === ownId) errors.recipient = describeSelfTransfer(isOutside)
  if (!parseMoney(form)) errors.amount = transfers.enterAmount
  else if (!isOutside && computeShortfall(form, wallet, total) !== undefined) errors.amount = transfers.insufficient
  if (form.isCrypto && !form.cryptoCurrency) errors.cryptoCurrency = transfers.selectCrypto
  return errors
}

/** Short name: the first name, otherwise the username. */
export const shortenName = (person: { readonly name: string | null; readonly username: string }): string =>
  person.name?.trim().split(/\s+/)[0] || person.username
