import { buildAddress, Refused, Unreachable } from '@tern/contract/protocol/client'
import type { Problem } from '@tern/contract/protocol/refusal'
import { type IdentityDocument, uploadDocument } from '@tern/contract/kyc/documents'
import { currentAccessToken } from '../session/session.ts'

export interface Upload {
  readonly userId: number
  readonly file: File
  readonly documentType: string
  readonly side: 'front' | 'back'
  /** Receives the bytes sent so far and their total. */
  readonly onProgress: (sentBytes: number, total: number) => void
  readonly signal: AbortSignal
}

const timeoutMs = 120_000

/**
 * Uploads the file of a document and reports progress, which only XMLHttpRequest can. Throws `Refused`, `Unreachable`,
 * and the signal's reason once aborted.
 */
export async function sendFile({
  userId,
  file,
  documentType,
  side,
  onProgress,
  signal,
}: Upload): Promise<IdentityDocument> {
  const token = (await currentAccessToken()) ?? ''
  signal.throwIfAborted()
  const form = new FormData()
  form.set('documentType', documentType)
  form.set('side', side)
  form.set('file', file)
  const request = new XMLHttpRequest()
  request.open(uploadDocument.method, `/api${buildAddress(uploadDocument, { params: { id: String(userId) } })}`)
  request.setRequestHeader('authorization', `Bearer ${token}`)
  request.responseType = 'json'
  request.timeout = timeoutMs
  const { promise, resolve, reject } = Promise.withResolvers<IdentityDocument>()
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded, total))
  request.addEventListener('load', () => {
    const reply: unknown = request.response
    if (request.status === 201) resolve(reply as IdentityDocument)
    else if (isProblem(reply)) reject(new Refused(reply))
    else reject(new Unreachable(new Error(`status ${request.status}`)))
  })
  for (const event of ['error', 'timeout']) {
    request.addEventListener(event, () => reject(new Unreachable(new Error(event))))
  }
  const abort = () => {
    request.abort()
    reject(signal.reason as Error)
  }
  signal.addEventListener('abort', abort, { once: true })
  request.send(form)
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

const isProblem = (reply: unknown): reply is Problem => typeof reply === 'object' && reply !== null && 'code' in reply
