import { cancelByLink } from '@tern/contract/transfers/street-mode'
import type { FastifyInstance } from 'fastify'
import { limitPerAddress } from '../../../../platform/http/rate-limits.ts'
import { serve } from '../../../../platform/http/serve.ts'
import type { StreetHolds } from './street-holds.ts'

// Per minute.
const triesPerAddress = 30

/** `/transfers/cancel-by-link`: for whoever has the link of the mail. */
export function streetHoldsRoutes(app: FastifyInstance, streetHolds: StreetHolds): void {
  const limitTries = limitPerAddress(app, 'cancel-link', triesPerAddress)

  serve(app, cancelByLink, async ({ body, request }) => {
    await limitTries(request)
    await streetHolds.cancelByLink(body.code)
    return { success: true } as const
  })
}
