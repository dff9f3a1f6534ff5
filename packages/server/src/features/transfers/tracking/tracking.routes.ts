import { endTracking, shareTracking, trackedTransfer, trackingLink } from '@tern/contract/transfers/tracking'
import type { FastifyInstance } from 'fastify'
import { limitPerAddress, limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { Tracking } from './tracking.ts'

// Per minute.
const changesPerUser = 30
const viewsPerAddress = 120

/** `/transfers/:id/tracking` for senders, `/tracking/:code` for whoever has a link. */
export function trackingRoutes(app: FastifyInstance, tracking: Tracking): void {
  const limitChanges = limitPerUser(app, 'tracking-link', changesPerUser)
  const limitViews = limitPerAddress(app, 'tracking', viewsPerAddress)

  serve(app, trackingLink, ({ caller, params }) => tracking.linkOf(caller.userId, params.id))
  serve(app, shareTracking, async ({ caller, params, body, request }) => {
    await limitChanges(request)
    return tracking.share(caller.userId, params.id, body.shows_amounts)
  })
  serve(app, endTracking, async ({ caller, params, request }) => {
    await limitChanges(request)
    await tracking.end(caller.userId, params.id)
  })
  serve(app, trackedTransfer, async ({ params, request }) => {
    await limitViews(request)
    return tracking.track(params.code)
  })
}
