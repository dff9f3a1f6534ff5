import { queryOptions } from '@tanstack/react-query'
import { documentContent, listDocuments } from '@tern/contract/kyc/documents'
import { addressOf } from '@tern/contract/protocol/client'
import { callApi, currentAccessToken } from '../session/session.ts'

export const documentsKey = (userId: number) => ['kyc-documents', userId] as const

/** What the person has uploaded, newest first. */
export const documentsQuery = (userId: number) =>
  queryOptions({
    queryKey: documentsKey(userId),
    queryFn: ({ signal }) => callApi(listDocuments, { params: { id: String(userId) } }, signal),
  })

/** The picture of an uploaded document, as it is kept. */
export const pictureQuery = (userId: number, documentId: string) =>
  queryOptions({
    queryKey: ['kyc-picture', userId, documentId],
    queryFn: async ({ signal }) => {
      const params = { id: String(userId), documentId }
      const token = (await currentAccessToken()) ?? ''
      const headers = { authorization: `Bearer ${token}` }
      const reply = await fetch(`/api${addressOf(documentContent, { params })}`, { headers, signal })
      if (!reply.ok) throw new Error(`status ${reply.status}`)
      // What is kept is a JPEG, whatever the answer calls it.
      return new Blob([await reply.arrayBuffer()], { type: 'image/jpeg' })
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
