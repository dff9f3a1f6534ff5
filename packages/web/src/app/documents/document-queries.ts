import { documentContent, listDocuments } from '@tern/contract/kyc/documents'
import { buildAddress, Refused } from '@tern/contract/protocol/client'
import { buildQuery } from '../session/query.ts'
import { currentAccessToken } from '../session/session.ts'

/** Uploaded documents of the person, newest first. */
export const documentsQuery = (userId: number) =>
  buildQuery(['kyc-documents', userId], listDocuments, { params: { id: String(userId) } })

/** Cache key of document pictures uploaded or reopened while the page is open. */
export const pictureKey = (userId: number, documentId: string) => ['kyc-picture', userId, documentId] as const

/** Fetches the stored picture of an uploaded document. Throws Refused, such as `step_up_required`. */
export async function fetchPicture(
  userId: number,
  documentId: string,
  confirmation: string | undefined,
): Promise<Blob> {
  const params = { id: String(userId), documentId }
  const token = (await currentAccessToken()) ?? ''
  const reply = await fetch(`/api${buildAddress(documentContent, { params })}`, {
    headers: { authorization: `Bearer ${token}`, ...(confirmation === undefined ? {} : { 'step-up': confirmation }) },
  })
  if (!reply.ok) throw new Refused((await reply.json()) as Refused['problem'])
  // Stored pictures are JPEG, whatever the content type says.
  return new Blob([await reply.arrayBuffer()], { type: 'image/jpeg' })
}
