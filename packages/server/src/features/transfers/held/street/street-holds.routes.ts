import { cancelByLink } from '@tern/contract/transfers/street-mode'
import type { FastifyInstance } from 'fastify'
import { limitPerAddress } from '../../../../platform/http/rate-limits.ts'
import { serve } from '../../../../platform/http/serve.ts'
import type { TransferLinks } from '../../transfers.ts'

// Per minute.
const attemptsPerAddress = 30

/** Serves `/transfers/cancel-by-link`, for the link in a mail. */
export function streetHoldsRoutes(app: FastifyInstance, links: TransferLinks): void {
  const limitCancelAttempts = limitPerAddress(app, 'cancel-link', attemptsPerAddress)

  serve(app, cancelByLink, async ({ body, request }) => {
    await limitCancelAttempts(request)
    await links.cancel(body.code)
    return { success: true } as const
  })
}
