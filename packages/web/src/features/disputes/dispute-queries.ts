import { addDisputeFile, disputeFileContent, disputes, readDispute } from '@tern/contract/disputes/disputes'
import { buildAddress, Unreachable } from '@tern/contract/protocol/client'
import { buildQuery, retryUnlessRefused } from '../../app/session/query.ts'
import { callApi, currentAccessToken } from '../../app/session/session.ts'

export const disputesQuery = (userId: number) => buildQuery(['disputes', userId], disputes, {})

export const disputeQuery = (userId: number, id: string) => ({
  ...buildQuery(['disputes', userId], readDispute, { params: { id } }),
  retry: retryUnlessRefused(1),
})

export function addFile(id: string, file: File) {
  const upload = new FormData()
  upload.set('file', file)
  return callApi(addDisputeFile, { params: { id }, upload })
}

/** Downloads an evidence file. Throws `Unreachable` if it cannot be read. */
export async function readFile(id: string, fileId: string): Promise<Blob> {
  const headers = { authorization: `Bearer ${(await currentAccessToken()) ?? ''}` }
  const reply = await fetch(`/api${buildAddress(disputeFileContent, { params: { id, fileId } })}`, { headers })
  if (!reply.ok) throw new Unreachable(new Error(`status ${reply.status}`))
  return reply.blob()
}
