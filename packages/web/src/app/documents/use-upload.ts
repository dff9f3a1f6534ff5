import { useQueryClient } from '@tanstack/react-query'
import { type IdentityDocument, deleteDocument } from '@tern/contract/kyc/documents'
import { Refused } from '@tern/contract/protocol/client'
import { useEffect, useRef, useState } from 'react'
import { upload as texts } from '#messages/identity/upload.ts'
import { callApi } from '../session/session.ts'
import { documentsQuery, pictureKey } from './document-queries.ts'
import { findRefusal, type Side } from './document-rules.ts'
import { sendFile } from './send-file.ts'

export type UploadState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'uploading'
      readonly file: File
      readonly sentBytes: number
      readonly total: number
      readonly elapsedMs: number
    }
  /** Unknown whether the file arrived; it can be sent again. */
  | { readonly status: 'broken'; readonly file: File; readonly percent: number }
  | { readonly status: 'refused'; readonly name: string; readonly reason: string }

interface Options {
  userId: number
  documentType: string
  side: Side
  /** Current upload of this side, deleted once a new one has replaced it. */
  savedDocument: IdentityDocument | undefined
  onBusy: (isBusy: boolean) => void
}

/** One side of a document: uploads, aborts, retries and deletes its file. */
export function useUpload({ userId, documentType, side, savedDocument, onBusy }: Options) {
  const queryClient = useQueryClient()
  const [state, setState] = useState<UploadState>({ status: 'idle' })
  const [removalError, setRemovalError] = useState<string>()
  const currentUpload = useRef<AbortController>(undefined)
  const isUploading = state.status === 'uploading'
  useEffect(() => {
    if (!isUploading) return
    onBusy(true)
    return () => onBusy(false)
  }, [isUploading, onBusy])
  // Leaving the step or the page, or choosing another document, aborts the upload.
  useEffect(() => () => currentUpload.current?.abort(), [])

  const change = (next: (documents: IdentityDocument[]) => IdentityDocument[]) =>
    queryClient.setQueryData(documentsQuery(userId).queryKey, (data) => ({
      documents: next(data?.documents ?? []),
    }))

  async function remove({ id }: IdentityDocument): Promise<void> {
    await callApi(deleteDocument, { params: { id: String(userId), documentId: id } })
    change((documents) => documents.filter((document) => document.id !== id))
  }

  async function send(file: File): Promise<void> {
    setRemovalError(undefined)
    const reason = findRefusal(file)
    if (reason !== undefined) return setState({ status: 'refused', name: file.name, reason })
    const uploadAbort = new AbortController()
    currentUpload.current?.abort()
    currentUpload.current = uploadAbort
    const startedMs = Date.now()
    let percent = 0
    const onProgress = (sentBytes: number, total: number) => {
      percent = Math.floor((sentBytes * 100) / Math.max(total, 1))
      if (!uploadAbort.signal.aborted)
        setState({ status: 'uploading', file, sentBytes, total, elapsedMs: Date.now() - startedMs })
    }
    onProgress(0, file.size)
    try {
      const document = await sendFile({ userId, file, documentType, side, onProgress, signal: uploadAbort.signal })
      if (document.content_type === 'image/jpeg') queryClient.setQueryData(pictureKey(userId, document.id), file)
      change((documents) => [document, ...documents])
      setState({ status: 'idle' })
      // The new upload counts even if this deletion fails.
      if (savedDocument) await remove(savedDocument).catch(() => undefined)
    } catch (error) {
      if (uploadAbort.signal.aborted) return
      setState(
        error instanceof Refused
          ? { status: 'refused', name: file.name, reason: error.message }
          : { status: 'broken', file, percent },
      )
    }
  }

  return {
    state,
    removalError,
    send: (file: File) => void send(file),
    cancel() {
      currentUpload.current?.abort()
      setState({ status: 'idle' })
    },
    remove: () =>
      void (
        savedDocument &&
        remove(savedDocument).catch((error: unknown) =>
          setRemovalError(error instanceof Refused ? error.message : texts.removeFailed),
        )
      ),
  }
}
