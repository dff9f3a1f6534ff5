import {
  cancelPayment,
  createPayment,
  deposit,
  depositByCard,
  directPayment,
  paymentStatus,
} from '@tern/contract/payments'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { refuse } from '../../platform/refuse.ts'
import { serve } from '../../platform/http/serve.ts'
import type { LookUp } from '../wallets/wallets.ts'
import type { Payments } from './payments.ts'

// Per minute: each one asks the provider.
const paymentsPerUser = 30

/** `/payment/…` that bring money from outside, and the provider's way in. */
export function paymentsRoutes(
  app: FastifyInstance,
  { payments, lookUp }: { payments: Payments; lookUp: LookUp },
): void {
  const limitPayments = limitPerUser(app, 'payment', paymentsPerUser)
  // Beginning payments leaves nobody without the means to stop one.
  const limitCancels = limitPerUser(app, 'payment-cancel', paymentsPerUser)

  serve(app, depositByCard, async ({ caller, body, idempotencyKey, request }) => {
    await limitPayments(request)
    return payments.depositByCard(caller, body, idempotencyKey)
  })
  serve(app, deposit, async ({ caller, body, idempotencyKey, request }) => {
    await limitPayments(request)
    return payments.deposit(caller, body, idempotencyKey)
  })
  serve(app, directPayment, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitPayments(request)
    return lookUp(request, BigInt(body.recipientId), () =>
      payments.directPayment(caller, body, idempotencyKey, confirmation),
    )
  })
  serve(app, createPayment, async ({ caller, body, idempotencyKey, confirmation, request }) => {
    await limitPayments(request)
    const begin = () => payments.createPayment(caller, body, idempotencyKey, confirmation)
    const { purpose, recipient_id: recipientId } = body
    if (purpose === 'deposit' || recipientId === undefined) return begin()
    return lookUp(request, BigInt(recipientId), begin)
  })
  serve(app, paymentStatus, ({ caller, params }) => payments.status(caller.userId, params.id))
  serve(app, cancelPayment, async ({ caller, params, request }) => {
    await limitCancels(request)
    return payments.cancel(caller.userId, params.id)
  })

  // The signature covers the exact bytes, so this route alone reads its body unparsed.
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 262_144 }, (_request, body, done) =>
      done(null, body),
    )
    hooks.post<{ Params: { provider: string } }>(
      '/webhooks/:provider',
      { schema: { hide: true } },
      async (request, reply) => {
        const { body, headers, params } = request
        if (!Buffer.isBuffer(body)) return refuse('malformed_body')
        await hooks.databaseWatch.whileThere(() => payments.receiveEvent(params.provider, body, headers))
        return reply.code(204).send()
      },
    )
  })
}
