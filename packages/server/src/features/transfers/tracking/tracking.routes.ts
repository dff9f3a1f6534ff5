import { endTracking, shareTracking, trackedTransfer, trackingLink } from '@tern/contract/transfers/tracking'
import type { FastifyInstance } from 'fastify'
import { limitPerAddress, limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { TransferLinks } from '../transfers.ts'

const maxChangesPerMinute = 30
// Per minute.
const viewsPerAddress = 120

/** Serves `/transfers/:id/tracking` to senders, and `/tracking/:code` to anyone with the link. */
export function trackingRoutes(app: FastifyInstance, links: TransferLinks): void {
  const limitChanges = limitPerUser(app, 'tracking-link', maxChangesPerMinute)
  const limitViews = limitPerAddress(app, 'tracking', viewsPerAddress)

  serve(app, trackingLink, ({ caller, params }) => links.readTracking({ userId: caller.userId, id: params.id }))
  serve(app, shareTracking, async ({ caller, params, body, request }) => {
    await limitChanges(request)
    return links.shareTracking({ userId: caller.userId, id: params.id, showsAmounts: body.shows_amounts })
  })
  serve(app, endTracking, async ({ caller, params, request }) => {
    await limitChanges(request)
    await links.endTracking({ userId: caller.userId, id: params.id })
  })
  serve(app, trackedTransfer, async ({ params, request }) => {
    await limitViews(request)
    return links.track(params.code)
  })
}
