import * as banking from '@tern/contract/banking'
import * as losses from '@tern/contract/payments/losses'
import * as contract from '@tern/contract/payments'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { refuse } from '../../platform/refuse.ts'
import { requireOwn, serve } from '../../platform/http/serve.ts'
import type { LimitedLookup } from '../wallets/wallets.ts'
import type { Payments } from './payments.ts'
import { type EventReceivers, receiveProviderEvent } from './provider-events.ts'

// Most orders call the provider.
const maxOrdersPerMinute = 30
// Browsers poll while a bank link is open.
const maxLinkCallsPerMinute = 120

interface RouteParts extends EventReceivers {
  readonly payments: Payments
}

/** Routes for incoming payments, and the providers' webhooks. */
export function paymentsRoutes(app: FastifyInstance, parts: RouteParts, lookUp: LimitedLookup): void {
  const { payments } = parts
  const limitPayments = limitPerUser(app, 'payment', maxOrdersPerMinute)
  // A separate limit, so that a user who began many payments can still cancel them.
  const limitCancels = limitPerUser(app, 'payment-cancel', maxOrdersPerMinute)

  serve(app, contract.depositByCard, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitPayments(request)
    return payments.depositByCard({ caller, body, idempotencyKey, confirmation })
  })
  serve(app, contract.deposit, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitPayments(request)
    return payments.deposit({ caller, body, idempotencyKey, confirmation })
  })
  serve(app, contract.directPayment, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitPayments(request)
    return lookUp(request, BigInt(body.recipientId), () =>
      payments.directPayment({ caller, body, idempotencyKey, confirmation }),
    )
  })
  serve(app, contract.createPayment, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitPayments(request)
    const begin = () => payments.createPayment({ caller, body, idempotencyKey, confirmation })
    const { purpose, recipient_id: recipientId } = body
    if (purpose === 'deposit' || recipientId === undefined) return begin()
    return lookUp(request, BigInt(recipientId), begin)
  })
  serve(app, contract.paymentStatus, ({ caller, params }) =>
    payments.status({ userId: caller.userId, paymentId: params.id }),
  )
  serve(app, contract.cancelPayment, async ({ caller, params, request }) => {
    await limitCancels(request)
    return payments.cancel({ userId: caller.userId, paymentId: params.id })
  })

  // The signature covers the exact bytes, so the body is not parsed.
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: 262_144 } as const
    hooks.addContentTypeParser('*', options, (_request, body, done) => done(null, body))
    type ProviderRoute = { Params: { provider: string } }
    hooks.post<ProviderRoute>('/webhooks/:provider', { schema: { hide: true } }, async (request, reply) => {
      const { body, headers, params } = request
      if (!Buffer.isBuffer(body)) return refuse('malformed_body')
      await hooks.databaseWatch.whileThere(() =>
        receiveProviderEvent(parts, { provider: params.provider, rawBody: body, headers }),
      )
      return reply.code(204).send()
    })
  })
}

/** `/payment/…` routes about bank accounts, saved cards, withdrawals and losses. */
export function bankingRoutes(app: FastifyInstance, payments: Payments): void {
  const limitOrders = limitPerUser(app, 'bank-order', maxOrdersPerMinute)
  const limitLinkCalls = limitPerUser(app, 'bank-question', maxLinkCallsPerMinute)

  serve(app, banking.bankAccounts, async ({ caller, params }) =>
    payments.bankAccounts(requireOwn(caller, params.userId)),
  )
  serve(app, banking.removeBankAccount, async ({ caller, params }) =>
    payments.removeBankAccount({ userId: requireOwn(caller, params.userId), id: params.id }),
  )
  serve(app, banking.chooseBankAccount, async ({ caller, params }) =>
    payments.chooseBankAccount({ userId: requireOwn(caller, params.userId), id: params.id }),
  )
  serve(app, banking.checkPayee, async ({ caller, params, request }) => {
    await limitLinkCalls(request)
    return payments.checkPayee({ userId: requireOwn(caller, params.userId), bankAccountId: params.id })
  })
  serve(app, banking.linkBankAccount, async ({ caller, body, confirmation, request }) => {
    await limitOrders(request)
    return payments.linkBankAccount({ caller, body, confirmation })
  })
  serve(app, banking.bankLinkStatus, async ({ caller, params, request }) => {
    await limitLinkCalls(request)
    return payments.bankLinkStatus({ userId: caller.userId, linkId: params.id })
  })
  serve(app, banking.finishBankLink, async ({ caller, params, body, request }) => {
    await limitLinkCalls(request)
    await payments.finishBankLink({ caller, linkId: params.id, secret: body.secret })
    return { success: true as const }
  })
  serve(app, banking.paymentMethods, async ({ caller }) => ({
    cards: await payments.savedCards(caller.userId),
    bank_accounts: await payments.bankAccounts(caller.userId),
    saves_cards: await payments.savesCards(caller.userId),
  }))
  serve(app, banking.removeCard, ({ caller, params }) => payments.removeCard({ userId: caller.userId, id: params.id }))
  serve(app, banking.chooseCard, ({ caller, params }) => payments.chooseCard({ userId: caller.userId, id: params.id }))
  serve(app, banking.depositTerms, ({ caller, query }) => payments.depositTerms({ ...query, userId: caller.userId }))
  serve(app, banking.withdrawalEstimate, ({ caller, query }) =>
    payments.estimateWithdrawal({ userId: caller.userId, bankAccountId: query.bankAccountId }),
  )
  serve(app, banking.withdraw, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitOrders(request)
    return payments.withdraw({ caller, body, idempotencyKey, confirmation })
  })
  serve(app, losses.openLosses, ({ caller }) => payments.openLosses(caller.userId))
  serve(app, losses.payLoss, async ({ caller, params, body, request }) => {
    await limitOrders(request)
    return payments.payLoss({ userId: caller.userId, id: params.id, expected: body.expected_total })
  })
  serve(app, banking.payoutStatus, ({ caller, params }) =>
    payments.payoutStatus({ userId: caller.userId, payoutId: params.id }),
  )
}
