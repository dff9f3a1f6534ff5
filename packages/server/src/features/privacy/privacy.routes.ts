import { documentContent } from '@tern/contract/kyc/documents'
import * as contract from '@tern/contract/privacy/privacy'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { requireOwn, serve, serveReading } from '../../platform/http/serve.ts'
import type { Identity } from '../identity/identity.ts'
import type { Privacy } from './privacy.ts'

const daySeconds = 86_400
const exportsPerDay = 5
const correctionsPerDay = 20
// Per minute. Each call without a confirmation creates a step-up request.
const requestsPerMinute = 30

/** `/user/privacy` and document files, for the caller's own data only. */
export function privacyRoutes(
  app: FastifyInstance,
  privacy: Privacy,
  identity: Pick<Identity, 'describeClient' | 'refreshCookie'>,
): void {
  const { describeClient, refreshCookie } = identity
  const limitExports = limitPerUser(app, 'privacy_exports', exportsPerDay, daySeconds)
  const limitCorrections = limitPerUser(app, 'privacy_corrections', correctionsPerDay, daySeconds)
  const limitDataRequests = limitPerUser(app, 'privacy_asked', requestsPerMinute)

  serve(app, contract.privacyOverview, ({ caller }) => privacy.overview(caller.userId))
  serveReading(app, contract.dataAccesses, ({ caller, query, db }) =>
    privacy.accesses(db, { userId: caller.userId, before: query.before }),
  )
  serve(app, contract.agreeToDocument, ({ caller, body }) => privacy.giveConsent({ ...body, userId: caller.userId }))

  serve(app, contract.askForCorrection, async ({ caller, body, request }) => {
    await limitCorrections(request)
    return privacy.corrections.ask({ ...body, userId: caller.userId })
  })

  serve(app, documentContent, async ({ params, caller, confirmation, request, reply }) => {
    requireOwn(caller, params.id)
    await limitDataRequests(request)
    const { contentType, bytes } = await privacy.openOwnDocument({
      caller,
      documentId: params.documentId,
      confirmation,
    })
    // Served as an attachment that can neither load nor run anything, whatever type a browser assumes.
    void reply.headers({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' })
    void reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      .type(contentType)
    return bytes
  })

  serve(app, contract.deletionState, ({ caller }) => privacy.deletion.state(caller.userId))
  serve(app, contract.deleteAccount, async ({ caller, confirmation, request, reply }) => {
    await limitDataRequests(request)
    const dueAt = await privacy.deletion.confirmAndBegin({
      caller,
      confirmation,
      client: describeClient(request, reply),
    })
    void reply.clearCookie(refreshCookie.name, refreshCookie.options)
    return { due_at: dueAt.toISOString() }
  })

  serve(app, contract.exportData, async ({ caller, query: { format }, confirmation, request, reply }) => {
    await limitDataRequests(request)
    await privacy.requireExport({ caller, format, confirmation })
    await limitExports(request)
    await privacy.recordExport({ caller, client: describeClient(request, reply) })
    const day = new Date().toISOString().slice(0, 10)
    void reply.header('content-disposition', `attachment; filename="tern-data-${day}-${format}.zip"`)
    return app.replicas.read((db) => privacy.export(db, { userId: caller.userId, format }))
  })
}
