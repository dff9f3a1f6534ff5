import { buildAddress, Refused, Unreachable } from '@tern/contract/protocol/client'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import type { Problem } from '@tern/contract/protocol/refusal'
import { currentAccessToken } from '../../app/session/session.ts'
import { saveFile } from '../../ui/save-file.ts'

interface Download {
  readonly endpoint: Endpoint
  readonly input: Parameters<typeof buildAddress>[1]
  /** Used if the server names no file. */
  readonly fallbackName: string
  readonly signal?: AbortSignal
  /** Receives the number of bytes so far. */
  readonly onProgress?: (byteCount: number) => void
}

const findFileName = (header: string | null): string | undefined => {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header ?? '')?.[1]
  return encoded === undefined ? /filename="([^"]+)"/.exec(header ?? '')?.[1] : decodeURIComponent(encoded)
}

/**
 * Downloads a file as the signed-in person and saves it. The browser keeps large files on disk while they arrive. Throws
 * `Refused`, or `Unreachable` if the file is incomplete.
 */
export async function downloadFile({ endpoint, input, fallbackName, signal, onProgress }: Download): Promise<void> {
  const token = (await currentAccessToken()) ?? ''
  const reply = await fetch(`/api${buildAddress(endpoint, input)}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(signal && { signal }),
  }).catch((error: unknown) => Promise.reject(new Unreachable(error)))
  if (!reply.ok) {
    const problem = (await reply.json().catch(() => undefined)) as Problem | undefined
    throw problem ? new Refused(problem) : new Unreachable(new Error(`status ${reply.status}`))
  }
  let byteCount = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      byteCount += chunk.byteLength
      onProgress?.(byteCount)
      controller.enqueue(chunk)
    },
  })
  const type = reply.headers.get('content-type') ?? ''
  const blob = await new Response(reply.body?.pipeThrough(counter), { headers: { 'content-type': type } })
    .blob()
    .catch((error: unknown) => Promise.reject(new Unreachable(error)))
  saveFile(blob, findFileName(reply.headers.get('content-disposition')) ?? fallbackName)
}
