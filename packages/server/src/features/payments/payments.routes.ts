import { depositByCard, paymentStatus } from '@tern/contract/payments'
import { SignatureError } from '@tern/providers/card/port'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../limits.ts'
import { refuse } from '../../refuse.ts'
import { serve } from '../../serve.ts'
import type { Payments } from './payments.ts'

// Per minute: each one opens a checkout at the provider.
const depositsPerUser = 30

/** `/payment/…` that begin with outside money, and the provider's way in where there is one. */
export function paymentsRoutes(app: FastifyInstance, payments: Payments, providerName: string | undefined): void {
  const limitDeposits = limitPerUser(app, depositsPerUser)

  serve(app, depositByCard, async ({ caller, body, idempotencyKey, request }) => {
    await limitDeposits(request)
    return payments.depositByCard(caller, body, idempotencyKey)
  })
  serve(app, paymentStatus, ({ caller, params }) => payments.status(caller.userId, params.id))

  if (providerName === undefined) return
  // The signature covers the exact bytes, so this route alone reads its body unparsed.
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers()
    hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 65_536 }, (_request, body, done) =>
      done(null, body),
    )
    hooks.post(`/webhooks/${providerName}`, { schema: { hide: true } }, async (request, reply) => {
      if (!Buffer.isBuffer(request.body)) refuse('malformed_body')
      try {
        await payments.receiveCardEvent(request.body, request.headers)
      } catch (error) {
        if (error instanceof SignatureError) refuse('signature_invalid')
        throw error
      }
      return reply.code(204).send()
    })
  })
}
