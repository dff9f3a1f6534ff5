import { joinWaitlist } from '@tern/contract/site/waitlist'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { limitPerAddress } from '../../platform/http/rate-limits.ts'
import { serve } from '../../platform/http/serve.ts'
import type { Identity } from '../identity/identity.ts'
import { addEntry, type WaitlistContext } from './waitlist.ts'

const entriesPerAddress = 10
const formType = 'application/x-www-form-urlencoded'
const tooManyRequests = 429

const isForm = (request: FastifyRequest) => request.headers['content-type']?.startsWith(formType) === true

/**
 * Serves `joinWaitlist` to the pages' script and, without script, to their forms. A form submission is redirected to
 * the thanks on the home page, or to the top of that page if the entry was not an address.
 */
export function waitlistRoutes(
  parent: FastifyInstance,
  { formUrl, pool, identity }: WaitlistContext & { readonly pool: pg.Pool; readonly identity: Identity },
): void {
  const limit = limitPerAddress(parent, 'waitlist', entriesPerAddress)
  void parent.register(async (app) => {
    app.addContentTypeParser(formType, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) =>
      Object.fromEntries(new URLSearchParams(body)),
    )
    const ignoredRequests = new WeakSet<FastifyRequest>()
    app.addHook('onSend', async (request, reply, payload) => {
      const isAnswered = reply.statusCode < 300 || reply.statusCode === tooManyRequests
      if (!isForm(request) || !isAnswered) return payload
      void reply.code(303).header('location', ignoredRequests.has(request) ? '/#top' : '/#joined')
      void reply.removeHeader('content-type')
      return ''
    })
    serve(app, joinWaitlist, async ({ body, request }) => {
      identity.requireSameOrigin(request)
      await limit(request)
      if (!(await addEntry({ formUrl }, pool, body))) ignoredRequests.add(request)
    })
  })
}
