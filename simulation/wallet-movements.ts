// Sends and exchanges from wallets, with and without quotes.

import { createQuote, exchangeMoney, type Quote } from '@tern/contract/exchange'
import { sendMoney } from '@tern/contract/transfers'
import { directPayment } from '@tern/contract/payments'
import { walletOfUser } from '@tern/contract/wallets'
import { visitCheckout } from './harness/checkout-visit.ts'
import { type Actor, ignoreRefusal } from './harness/actor.ts'
import { formatMinor, parseMinor } from './oracle/pricing.ts'
import { deriveKey, type PlannedMovement } from './plan.ts'
import { type Answer, buildOrder, readQuoteTerms, type World } from './harness/world.ts'

export type WalletMovement = PlannedMovement & {
  readonly kind: 'wallet_send' | 'quoted_send' | 'exchange' | 'crypto_send' | 'overdraft' | 'quote_twice'
}

interface Participants {
  readonly world: World
  readonly person: Actor
  readonly recipient: Actor
}

/** Amount in minor units. */
interface Amount {
  readonly currency: Quote['source_currency']
  readonly minor: bigint
}

const cryptoAssets = ['USDT', 'BTC', 'ETH'] as const

/** Performs a wallet movement: a send or an exchange. Throws `Refused`. */
export async function moveInWallet(
  planned: WalletMovement,
  world: World,
  person: Actor,
  recipient: Actor,
): Promise<Answer> {
  const participants = { world, person, recipient }
  const sourceAmount = { currency: person.currency, minor: BigInt(planned.amountMinor) }
  switch (planned.kind) {
    case 'wallet_send':
      return toAnswer(await send(planned, participants, sourceAmount))
    case 'quoted_send':
      return toAnswer(
        await send(planned, participants, sourceAmount, await requestQuote(participants, sourceAmount, recipient)),
      )
    case 'exchange':
      return toAnswer(await exchange(planned, participants, await chooseExchange(planned, person)))
    case 'crypto_send':
      return toAnswer(await sendCrypto(planned, participants))
    case 'overdraft':
      return toAnswer(await send(planned, participants, await computeNearFullBalance(planned, person)))
    case 'quote_twice':
      return toAnswer(await sendWithQuoteTwice(planned, participants, sourceAmount))
  }
}

const toAnswer = (id: string): Answer => ({ status: 'begun', id, redirectUrl: null })

/** Returns a quote; without a recipient, for an exchange into `target`. */
async function requestQuote(
  { person }: Pick<Participants, 'person'>,
  { currency, minor }: Amount,
  recipient: Actor | undefined,
  target: Amount['currency'] = recipient?.currency ?? person.currency,
): Promise<Quote> {
  const body = {
    source_currency: currency,
    target_currency: target,
    amount: formatMinor(currency, minor),
    side: 'source',
    ...(recipient ? { recipient_id: recipient.person.id } : {}),
  } as const
  return person.call(createQuote, { body })
}

async function send(
  planned: WalletMovement,
  { world, person, recipient }: Participants,
  { currency, minor }: Amount,
  quote?: Quote,
  target: Amount['currency'] = recipient.currency,
): Promise<string> {
  const { idempotencyKey, variant } = planned
  // Some sends without a quote convert directly, at a higher fee; quotes convert through a stablecoin.
  const viaStablecoin = quote !== undefined || variant % 4 !== 0
  world.orders.record(
    buildOrder(planned, person, {
      kind: 'wallet_send',
      source: minor,
      sourceCurrency: currency,
      targetCurrency: target,
      viaStablecoin,
      recipientId: recipient.person.id,
      ...(quote ? readQuoteTerms(quote) : {}),
    }),
  )
  const body = {
    recipient_id: recipient.person.id,
    amount: formatMinor(currency, minor),
    source_currency: currency,
    target_currency: target,
    use_stablecoin: viaStablecoin,
    ...(quote ? { quote_id: quote.quote_id } : {}),
  }
  return (await person.call(sendMoney, { body, idempotencyKey })).transaction_id
}

/** Returns available balances in minor units, by currency. */
async function loadAvailable({ person, call }: Actor): Promise<Map<string, bigint>> {
  const wallet = await call(walletOfUser, { params: { userId: String(person.id) } })
  const assets = wallet.assets.map(({ currency, available }) => [currency, parseMinor(currency, available)] as const)
  return new Map([[wallet.base_currency, parseMinor(wallet.base_currency, wallet.fiat_balance)], ...assets])
}

/** Returns an exchange that buys a crypto asset with the person's currency, or sells about half of one. */
async function chooseExchange({ variant, amountMinor }: WalletMovement, person: Actor) {
  const asset = cryptoAssets[variant % cryptoAssets.length] ?? 'USDT'
  const availableMinor = (await loadAvailable(person)).get(asset) ?? 0n
  const isSelling = variant % 2 === 0 && availableMinor > 0n
  return isSelling
    ? { amount: { currency: asset, minor: availableMinor / 2n + 1n }, target: person.currency }
    : { amount: { currency: person.currency, minor: BigInt(amountMinor) }, target: asset }
}

async function exchange(
  planned: WalletMovement,
  { world, person }: Participants,
  { amount, target }: { amount: Amount; target: Amount['currency'] },
): Promise<string> {
  const { idempotencyKey } = planned
  const quote = await requestQuote({ person }, amount, undefined, target)
  world.orders.record(
    buildOrder(planned, person, {
      kind: 'exchange',
      source: amount.minor,
      sourceCurrency: amount.currency,
      targetCurrency: target,
      ...readQuoteTerms(quote),
    }),
  )
  return (await person.call(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey })).transaction_id
}

/** Sends a third of a crypto asset, unconverted or into the recipient's currency; buys one if the person has none. */
async function sendCrypto(planned: WalletMovement, participants: Participants): Promise<string> {
  const { person, recipient } = participants
  const available = await loadAvailable(person)
  const ownedAssets = cryptoAssets.filter((asset) => (available.get(asset) ?? 0n) > 10n)
  const asset = ownedAssets[planned.variant % Math.max(ownedAssets.length, 1)]
  if (!asset) {
    const amount = { currency: person.currency, minor: BigInt(planned.amountMinor) }
    return exchange(planned, participants, {
      amount,
      target: cryptoAssets[planned.variant % cryptoAssets.length] ?? 'USDT',
    })
  }
  const amount = { currency: asset, minor: (available.get(asset) ?? 0n) / 3n }
  const target = planned.returnsFromCheckout ? asset : recipient.currency
  return send(planned, participants, amount, undefined, target)
}

/** Returns an amount so close to the whole balance that timing decides whether it is covered. */
async function computeNearFullBalance({ variant, amountMinor }: WalletMovement, person: Actor): Promise<Amount> {
  const available = (await loadAvailable(person)).get(person.currency) ?? 0n
  const spread = BigInt((variant % (2 * amountMinor)) - amountMinor)
  const minor = (available * 100n) / 102n + spread
  return { currency: person.currency, minor: minor > 0n ? minor : 1n }
}

/** Uses one quote for two concurrent sends, both from the wallet or one by card. */
async function sendWithQuoteTwice(
  planned: WalletMovement,
  participants: Participants,
  sourceAmount: Amount,
): Promise<string> {
  const { world, recipient } = participants
  const quote = await requestQuote(participants, sourceAmount, recipient)
  const secondMovement = { ...planned, idempotencyKey: deriveKey(world.seed, planned.number, 'second') }
  const secondSend =
    planned.variant % 2 === 0
      ? send(secondMovement, participants, sourceAmount, quote)
      : payByCard(secondMovement, participants, sourceAmount, quote)
  const sends = [send(planned, participants, sourceAmount, quote), secondSend]
  // Waits for both, then reports any success.
  await Promise.all(sends.map((pending) => pending.catch(ignoreRefusal)))
  return Promise.any(sends).catch(() => Promise.race(sends))
}

async function payByCard(
  planned: WalletMovement,
  participants: Participants,
  sourceAmount: Amount,
  quote: Quote,
): Promise<string> {
  const { world, person, recipient } = participants
  const { idempotencyKey, amountMinor, payer } = planned
  const recipientId = recipient.person.id
  world.orders.record(
    buildOrder(planned, person, {
      kind: 'payment_send',
      externalSource: 'card',
      source: sourceAmount.minor,
      targetCurrency: recipient.currency,
      recipientId,
      ...readQuoteTerms(quote),
    }),
  )
  const body = {
    amount: amountMinor,
    currency: person.currency.toLowerCase(),
    recipientId: String(recipientId),
    paymentSource: 'card',
    quote_id: quote.quote_id,
  } as const
  const { payment_id: id, redirectUrl } = await person.call(directPayment, { body, idempotencyKey })
  if (redirectUrl !== null) await visitCheckout(redirectUrl, payer, world)
  return id
}
