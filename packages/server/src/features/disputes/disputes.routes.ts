import * as contract from '@tern/contract/disputes/disputes'
import { maxDocumentBytes } from '@tern/contract/kyc/documents'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve, serveReading } from '../../platform/http/serve.ts'
import { acceptUploads, readUpload } from '../../platform/http/uploads.ts'
import type { Identity } from '../identity/identity.ts'
import type { Disputes } from './disputes.ts'

const newDisputesPerDay = 20
const daySeconds = 86_400
const actionsPerMinute = 30
const uploadsPerMinute = 20

interface RouteParts {
  readonly disputes: Disputes
  readonly identity: Pick<Identity, 'describeClient'>
}

/** Serves the caller's `/disputes`. */
export function disputesRoutes(app: FastifyInstance, { disputes, identity }: RouteParts): void {
  const limitNewDisputes = limitPerUser(app, 'dispute', newDisputesPerDay, daySeconds)
  const limitActs = limitPerUser(app, 'dispute-act', actionsPerMinute)
  const limitUploads = limitPerUser(app, 'dispute-file', uploadsPerMinute)

  serve(app, contract.disputeOptions, ({ caller, params }) =>
    disputes.options({ userId: caller.userId, transactionId: params.id }),
  )
  serve(app, contract.openDispute, async ({ caller, body, request, reply }) => {
    await limitNewDisputes(request)
    return disputes.open({ caller, input: body, client: identity.describeClient(request, reply) })
  })
  serveReading(app, contract.disputes, async ({ caller, db }) => ({ disputes: await disputes.list(db, caller.userId) }))
  serveReading(app, contract.readDispute, ({ caller, params, db }) =>
    disputes.read(db, { userId: caller.userId, id: params.id }),
  )
  serve(app, contract.answerDispute, async ({ caller, params, body, request }) => {
    await limitActs(request)
    return disputes.answer({ userId: caller.userId, id: params.id, text: body.text })
  })
  serve(app, contract.withdrawDispute, async ({ caller, params, request }) => {
    await limitActs(request)
    return disputes.withdraw({ userId: caller.userId, id: params.id })
  })
  serve(app, contract.objectToDispute, async ({ caller, params, body, request }) => {
    await limitActs(request)
    return disputes.object({ userId: caller.userId, id: params.id, text: body.text })
  })
  serveReading(app, contract.disputeEvidence, ({ caller, params, db }) =>
    disputes.evidence(db, { userId: caller.userId, id: params.id }),
  )
  void app.register(async (uploads) => {
    await acceptUploads(uploads, maxDocumentBytes)
    serve(uploads, contract.addDisputeFile, async ({ caller, params, request }) => {
      await limitUploads(request)
      const { file } = await readUpload(contract.addDisputeFile, request)
      return disputes.addFile({ userId: caller.userId, id: params.id, file })
    })
  })
  serve(app, contract.disputeFileContent, async ({ caller, params, reply }) => {
    const { contentType, bytes } = await disputes.file({ userId: caller.userId, id: params.id, fileId: params.fileId })
    // Prevents browsers from rendering an uploaded file as a page of this site.
    void reply.headers({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' })
    void reply
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      .type(contentType)
    return bytes
  })
}
