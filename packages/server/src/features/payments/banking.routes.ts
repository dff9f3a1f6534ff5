import * as banking from '@tern/contract/banking'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { refuse } from '../../platform/refuse.ts'
import { type Caller, serve } from '../../platform/http/serve.ts'
import type { Payments } from './payments.ts'

// Per minute: each one opens something at the provider.
const ordersPerUser = 30
// Per minute: whoever waits for their bank asks again and again.
const questionsPerUser = 120

/** Somebody else's accounts are not there, as far as the caller is told. */
function requireOwn(caller: Caller, userId: number): void {
  if (BigInt(userId) !== caller.userId) refuse('not_found')
}

/** `/payment/…` about bank accounts, saved cards and withdrawals. */
export function bankingRoutes(app: FastifyInstance, payments: Payments): void {
  const limitOrders = limitPerUser(app, 'bank-order', ordersPerUser)
  const limitQuestions = limitPerUser(app, 'bank-question', questionsPerUser)

  serve(app, banking.bankAccounts, async ({ caller, params }) => {
    requireOwn(caller, params.userId)
    return payments.bankAccounts(caller.userId)
  })
  serve(app, banking.removeBankAccount, async ({ caller, params }) => {
    requireOwn(caller, params.userId)
    await payments.removeBankAccount(caller.userId, params.id)
    return undefined
  })
  serve(app, banking.chooseBankAccount, async ({ caller, params }) => {
    requireOwn(caller, params.userId)
    return payments.chooseBankAccount(caller.userId, params.id)
  })
  serve(app, banking.linkBankAccount, async ({ caller, body, confirmation, request }) => {
    await limitOrders(request)
    return payments.linkBankAccount(caller, body, confirmation)
  })
  serve(app, banking.bankLinkStatus, async ({ caller, params, request }) => {
    await limitQuestions(request)
    return payments.bankLinkStatus(caller.userId, params.id)
  })
  serve(app, banking.paymentMethods, async ({ caller }) => ({
    cards: await payments.savedCards(caller.userId),
    bank_accounts: await payments.bankAccounts(caller.userId),
  }))
  serve(app, banking.removeCard, async ({ caller, params }) => {
    await payments.removeCard(caller.userId, params.id)
    return undefined
  })
  serve(app, banking.chooseCard, ({ caller, params }) => payments.chooseCard(caller.userId, params.id))
  serve(app, banking.withdrawalEstimate, ({ caller, query }) =>
    payments.withdrawalEstimate(caller.userId, query.bankAccountId),
  )
  serve(app, banking.withdraw, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitOrders(request)
    return payments.withdraw(caller, body, idempotencyKey, confirmation)
  })
  serve(app, banking.payoutStatus, ({ caller, params }) => payments.payoutStatus(caller.userId, params.id))
}
