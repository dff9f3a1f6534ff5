import { kycStatus, openIdentityPage } from '@tern/contract/kyc'
import { submitKyc } from '@tern/contract/kyc/verification-form'
import { deleteDocument, maxDocumentBytes, listDocuments, uploadDocument } from '@tern/contract/kyc/documents'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import { requireOwn, serve } from '../../platform/http/serve.ts'
import { acceptUploads, readUpload } from '../../platform/http/uploads.ts'
import type { Kyc } from './kyc.ts'
import type { KycState } from './verification.ts'

// Each form is a paid check at the provider.
const maxFormsPerMinute = 10
const maxUploadsPerMinute = 20
const maxPagesPerMinute = 10

/** Converts the state for its user, with reasons in the user's language. */
function toReply({ status, reasons, nextStep }: KycState) {
  const { verification } = currentRequestMessages().activity
  return {
    status,
    reasons: reasons.map(({ field, code }) => ({ field, code, message: verification[code] })),
    next_step: nextStep,
  }
}

export function kycRoutes(app: FastifyInstance, kyc: Kyc): void {
  const limitForms = limitPerUser(app, 'verification', maxFormsPerMinute)
  const limitPages = limitPerUser(app, 'identity-page', maxPagesPerMinute)
  const limitUploads = limitPerUser(app, 'documents', maxUploadsPerMinute)

  serve(app, submitKyc, async ({ params, body, caller, request }) => {
    const userId = requireOwn(caller, params.id)
    await limitForms(request)
    return toReply(await kyc.submit({ userId, form: body }))
  })
  serve(app, openIdentityPage, async ({ params, caller, request }) => {
    const userId = requireOwn(caller, params.id)
    await limitPages(request)
    return { url: await kyc.openHostedPage(userId) }
  })
  void app.register(async (uploads) => {
    await acceptUploads(uploads, maxDocumentBytes)
    serve(uploads, uploadDocument, async ({ params, caller, request }) => {
      const userId = requireOwn(caller, params.id)
      await limitUploads(request)
      const { form, file } = await readUpload(uploadDocument, request)
      return kyc.documents.upload({ ...form, userId, file })
    })
  })
  serve(app, listDocuments, async ({ params, caller }) => ({
    documents: await kyc.documents.list(requireOwn(caller, params.id)),
  }))
  serve(app, deleteDocument, ({ params, caller }) =>
    kyc.documents.remove({ userId: requireOwn(caller, params.id), id: params.documentId }),
  )
  serve(app, kycStatus, async ({ params, caller }) => toReply(await kyc.status(requireOwn(caller, params.id))))
}
