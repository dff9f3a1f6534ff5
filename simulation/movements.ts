import { Refused } from '@tern/contract/protocol/client'
import { withdraw } from '@tern/contract/banking'
import { createQuote } from '@tern/contract/exchange'
import { deposit, depositByCard, directPayment, paymentStatus } from '@tern/contract/payments'
import { cancelTransfer, sendMoney, settleTransfer, transferStatus } from '@tern/contract/transfers'
import { walletOfUser } from '@tern/contract/wallets'
import { visitCheckout } from './harness/checkout-visit.ts'
import { type Actor, type HomeCurrency, ignoreRefusal } from './harness/actor.ts'
import { formatMinor, parseMinor } from './oracle/pricing.ts'
import type { MovementKind, PlannedMovement } from './plan.ts'
import { moveInWallet, type WalletMovement } from './wallet-movements.ts'
import { type Answer, buildOrder, readQuoteTerms, type World } from './harness/world.ts'

const otherCurrency: Readonly<Record<HomeCurrency, 'USD' | 'EUR'>> = { USD: 'EUR', EUR: 'USD', JPY: 'USD' }

/** Performs a movement as its person does, including the visit to the checkout. */
export async function performMovement(planned: PlannedMovement, world: World): Promise<Answer> {
  const person = world.people[planned.personIndex]
  const recipient = world.people[planned.recipientIndex]
  if (!person || !recipient)
    throw new Error(`nobody has the number ${planned.personIndex} or ${planned.recipientIndex}`)
  try {
    if (!isExternal(planned)) return await moveInWallet(planned as WalletMovement, world, person, recipient)
    const placedOrder = await placeOrder(planned, world, person, recipient)
    if (placedOrder.redirectUrl !== null) await visitCheckout(placedOrder.redirectUrl, planned.payer, world)
    if (planned.returnsFromCheckout) await returnFromCheckout(planned, person, recipient, placedOrder)
    return { status: 'begun', id: placedOrder.id, redirectUrl: placedOrder.redirectUrl }
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return { status: 'refused', code: error.code }
    throw error
  }
}

/** Planned movement from or to a card or bank account. */
type ExternalMovement = PlannedMovement & { readonly kind: Exclude<MovementKind, WalletMovement['kind']> }

const externalKinds: ReadonlySet<string> = new Set<ExternalMovement['kind']>([
  'card_deposit',
  'converted_deposit',
  'bank_deposit',
  'withdrawal',
  'card_send',
  'bank_send',
  'partial_send',
])

const isExternal = (planned: PlannedMovement): planned is ExternalMovement => externalKinds.has(planned.kind)

interface PlacedOrder {
  readonly id: string
  readonly redirectUrl: string | null
  /** Decimal amount before the fee. */
  readonly amount: string
}

async function placeOrder(
  planned: ExternalMovement,
  { orders }: World,
  person: Actor,
  recipient: Actor,
): Promise<PlacedOrder> {
  const { kind, idempotencyKey, amountMinor } = planned
  const { currency, bankAccountId } = person
  const amount = formatMinor(currency, BigInt(amountMinor))
  const source = BigInt(amountMinor)
  switch (kind) {
    case 'card_deposit': {
      const body = { amount: amountMinor, currency: currency.toLowerCase(), saveCard: planned.returnsFromCheckout }
      orders.record(buildOrder(planned, person, { kind: 'deposit', source, externalSource: 'card' }))
      return toPlacedOrder(await person.call(depositByCard, { body, idempotencyKey }), amount)
    }
    case 'converted_deposit': {
      const foreignCurrency = otherCurrency[currency]
      const quote = await person.call(createQuote, {
        body: {
          source_currency: foreignCurrency,
          target_currency: currency,
          amount: formatMinor(foreignCurrency, source),
          side: 'source',
        },
      })
      const body = { amount: amountMinor, currency: foreignCurrency.toLowerCase(), quote_id: quote.quote_id }
      const quoteTerms = { sourceCurrency: foreignCurrency, ...readQuoteTerms(quote) }
      orders.record(buildOrder(planned, person, { kind: 'deposit', source, externalSource: 'card', ...quoteTerms }))
      return toPlacedOrder(await person.call(depositByCard, { body, idempotencyKey }), amount)
    }
    case 'bank_deposit': {
      const body = { amount, currency, method: 'bank', bankAccountId } as const
      orders.record(buildOrder(planned, person, { kind: 'deposit', source, externalSource: 'bank' }))
      return toPlacedOrder(await person.call(deposit, { body, idempotencyKey }), amount)
    }
    case 'withdrawal': {
      const body = { amount, currency, bankAccountId }
      orders.record(buildOrder(planned, person, { kind: 'withdrawal', source }))
      const { payout_id: id } = await person.call(withdraw, { body, idempotencyKey })
      return { id, redirectUrl: null, amount }
    }
    case 'card_send':
    case 'bank_send':
    case 'partial_send':
      return placePaidSend(planned, kind, { orders }, { person, recipient })
  }
}

const paymentSources = { card_send: 'card', bank_send: 'bank', partial_send: 'wallet_partial' } as const

async function placePaidSend(
  planned: PlannedMovement,
  kind: keyof typeof paymentSources,
  { orders }: Pick<World, 'orders'>,
  { person, recipient }: { person: Actor; recipient: Actor },
): Promise<PlacedOrder> {
  const { idempotencyKey, amountMinor } = planned
  const { currency, bankAccountId } = person
  const paymentSource = paymentSources[kind]
  const isSplitPayment = paymentSource === 'wallet_partial'
  const amountToSend = isSplitPayment ? await computeAmountAboveBalance(person, amountMinor) : amountMinor
  const body = {
    amount: amountToSend,
    currency: currency.toLowerCase(),
    recipientId: String(recipient.person.id),
    paymentSource,
    ...(paymentSource === 'bank' ? { bankAccountId } : {}),
  }
  const recipientId = recipient.person.id
  orders.record(
    buildOrder(planned, person, {
      kind: 'payment_send',
      source: BigInt(amountToSend),
      recipientId,
      targetCurrency: recipient.currency,
      isSplitPayment,
      externalSource: paymentSource === 'bank' ? 'bank' : 'card',
    }),
  )
  const payment = await person.call(directPayment, { body, idempotencyKey })
  return toPlacedOrder(payment, formatMinor(currency, BigInt(amountToSend)))
}

const toPlacedOrder = (answer: { payment_id: string; redirectUrl: string | null }, amount: string): PlacedOrder => ({
  id: answer.payment_id,
  redirectUrl: answer.redirectUrl,
  amount,
})

/** Returns an amount above the balance by `excessMinor`, in minor units, so that wallet and card pay together. */
async function computeAmountAboveBalance(person: Actor, excessMinor: number): Promise<number> {
  const wallet = await person.call(walletOfUser, { params: { userId: String(person.person.id) } })
  // The API takes a JSON number, which is exact for such amounts.
  return Number(parseMinor(person.currency, wallet.fiat_balance)) + excessMinor // not money: the wire's own form of it
}

/**
 * Acts like the web pages after an order: may decide a held transfer, polls the payment, and requests a send as on
 * `payment_success=true`.
 */
async function returnFromCheckout(
  planned: PlannedMovement,
  person: Actor,
  recipient: Actor,
  { id, amount }: PlacedOrder,
): Promise<void> {
  if (!planned.kind.endsWith('deposit')) await decideHeldTransfer(planned, person, id)
  if (planned.kind === 'withdrawal') return
  await person.call(paymentStatus, { params: { id } })
  if (!planned.kind.endsWith('send')) return
  const body = {
    recipient_id: recipient.person.id,
    amount,
    source_currency: person.currency,
    payment_source: planned.kind === 'bank_send' ? 'bank' : planned.kind === 'card_send' ? 'card' : 'wallet_partial',
    skip_sender_deduction: true,
    payment_id: id,
  } as const
  // A refusal is a valid response too; the final check shows that nothing moved.
  await person.call(sendMoney, { body, idempotencyKey: planned.idempotencyKey }).catch(ignoreRefusal)
}

/** Settles or cancels a held transfer, or leaves it to an operator and the deadline. */
async function decideHeldTransfer({ variant }: PlannedMovement, { call }: Actor, externalId: string): Promise<void> {
  const { id, state, hold } = await call(transferStatus, { params: { id: externalId } })
  if (state !== 'held' || variant % 3 === 0) return
  const shouldSettle = hold?.decided_by === 'sender' && variant % 3 === 1
  await call(shouldSettle ? settleTransfer : cancelTransfer, { params: { id } }).catch(ignoreRefusal)
}
