import * as contract from '@tern/contract/transfers/payee-warnings'
import type { FastifyInstance } from 'fastify'
import { parseAmount } from '../../../platform/http/amount.ts'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { LimitedLookup } from '../../wallets/wallets.ts'
import type { Transfers } from '../transfers.ts'

const checksPerMinute = 120

interface RouteParts {
  readonly transfers: Pick<Transfers, 'checkPayment' | 'acknowledgeWarning'>
  readonly lookUp: LimitedLookup
}

/** Endpoints that look at a payment before it is sent, and acknowledge a warning. */
export function warningsRoutes(app: FastifyInstance, { transfers, lookUp }: RouteParts): void {
  const limitChecks = limitPerUser(app, 'payee-check', checksPerMinute)

  serve(app, contract.findPayeeWarning, async ({ caller, body, request }) => {
    await limitChecks(request)
    const { recipient_id: recipient, source_currency: currency, description = '' } = body
    const amount = parseAmount('amount', currency, body.amount)
    const recipientId = BigInt(recipient)
    const check = () => transfers.checkPayment({ caller, recipientId, amount, description })
    return lookUp(request, recipientId, check)
  })

  serve(app, contract.acknowledgeWarning, async ({ caller: { userId }, params: { id }, request }) => {
    await limitChecks(request)
    await transfers.acknowledgeWarning({ userId, id })
  })
}
