import type { Wallet } from '@tern/contract/wallets'
import { bridgeCurrency, cryptoCodes, type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { feeOf } from '@tern/money/fee'
import { add, compare, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import * as z from 'zod/mini'
import { transfers } from '#messages/transfers.ts'
import type { FormErrors } from '../../app/forms/resolver.ts'
import { amountOf, plainAmount } from '../../app/orders/amount.ts'
import type { QuoteRequest } from '../../app/orders/quotes.ts'

// The contract's own shape would bring its schemas into every page that knows who is signed in.
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
  /** The balance that pays; undefined until the wallet is known. */
  source: z.optional(z.enum(currencyCodes)),
  recipientText: z.string(),
  /** Who the text stands for, once the server has said so. */
  recipient: z.optional(personShape),
  /** A plain decimal of the source currency, or of the one that arrives where `isExact`. */
  amount: z.string(),
  /** The amount is what the recipient gets, to the last unit; what that takes follows from it. */
  isExact: z.optional(z.boolean()),
  isCrypto: z.boolean(),
  cryptoCurrency: z.union([z.enum(cryptoCodes), z.literal('')]),
  description: z.string(),
})

/** What the person has chosen and typed so far. */
export type SendForm = z.output<typeof sendForm>

export const emptyForm = (cryptoPreSelected = false): SendForm => ({
  recipientText: '',
  amount: '',
  isCrypto: cryptoPreSelected,
  cryptoCurrency: cryptoPreSelected ? 'BTC' : bridgeCurrency,
  description: '',
})

/** What there is to spend in one currency of the wallet, as a decimal string. */
export const balanceOf = (wallet: Wallet, currency: CurrencyCode): string =>
  wallet.assets.find((asset) => asset.currency === currency)?.available ?? '0'

/** The balances a transfer can be paid from: the main currency always, cryptocurrencies when there are any. */
export const sourcesOf = (wallet: Wallet): readonly { currency: CurrencyCode; available: string }[] =>
  wallet.assets.filter(({ currency, available }) => currency === wallet.base_currency || /[1-9]/.test(available))

/** The only balance with money in it; undefined when there is none, or a choice. */
export function onlySourceOf(wallet: Wallet): CurrencyCode | undefined {
  const [only, ...others] = wallet.assets.filter(({ available }) => /[1-9]/.test(available))
  return others.length === 0 ? only?.currency : undefined
}

/** The currency that arrives: the chosen cryptocurrency, or the recipient's own. */
export const targetOf = (form: SendForm): CurrencyCode | undefined =>
  form.isCrypto ? form.cryptoCurrency || undefined : (form.recipient?.base_currency as CurrencyCode | undefined)

/** The currency in which the amount is typed. */
export const typedIn = (form: SendForm): CurrencyCode | undefined =>
  (form.isExact ? targetOf(form) : undefined) ?? form.source

/** The amount as money; undefined while it is none. */
export function moneyOf(form: SendForm) {
  const currency = typedIn(form)
  return currency && amountOf(currency, form.amount)
}

/** What the server is to price, as soon as it is known whole. */
export function quoteRequestOf(form: SendForm): QuoteRequest | undefined {
  const amount = moneyOf(form)
  const target = targetOf(form)
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
 * What the balance lacks for the transfer, as a decimal string of the source currency; undefined when it suffices, and while
 * that is not known. It has to carry the quoted `total` (a decimal string) where there is one, else the amount and one
 * percent; what an exact amount takes is known by its quote alone.
 */
export function shortfallOf(form: SendForm, wallet: Wallet, total: string | undefined): string | undefined {
  const amount = moneyOf(form)
  const { source } = form
  if (!amount || !source || (total === undefined && amount.currency !== source)) return undefined
  const needed = total === undefined ? add(amount, feeOf(amount, 100n)) : parseDecimal(source, total)
  const balance = parseDecimal(source, balanceOf(wallet, source))
  return compare(needed, balance) > 0 ? toDecimal(subtract(needed, balance)) : undefined
}

/** Why nobody sends to themself, as the way to pay puts it. */
export const notYourself = (isOutside: boolean): string =>
  isOutside ? transfers.notYourselfByCard : transfers.notYourself

/**
 * What keeps the form from being confirmed, by field, in the order of the fields. What the balance carries counts only
 * when the wallet alone pays (`isOutside` false).
 */
export function errorsOf(
  form: SendForm,
  wallet: Wallet,
  ownId: number,
  total: string | undefined,
  isOutside = false,
): FormErrors<keyof SendForm> {
  const errors: FormErrors<keyof SendForm> = {}
  if (!form.source) errors.source = transfers.selectWallet
  if (!form.recipient) errors.recipient = isOutside ? transfers.recipientMissing : transfers.selectRecipient
  else if (form.recipient.id === ownId) errors.recipient = notYourself(isOutside)
  if (!moneyOf(form)) errors.amount = transfers.enterAmount
  else if (!isOutside && shortfallOf(form, wallet, total) !== undefined) errors.amount = transfers.insufficient
  if (form.isCrypto && !form.cryptoCurrency) errors.cryptoCurrency = transfers.selectCrypto
  return errors
}

/** What a person is called where there is little room: their first name, else their username. */
export const shortNameOf = (person: { readonly name: string | null; readonly username: string }): string =>
  person.name?.trim().split(/\s+/)[0] || person.username
