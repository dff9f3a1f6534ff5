import { buildAddress } from '@tern/contract/protocol/client'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { transactionReceiptFile } from '@tern/contract/transactions'
import { receipt as words } from '#messages/receipt/words.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { currentAccessToken } from '../../session/session.ts'

/** Saves the PDF receipt of one of the person's own transactions. Throws if it cannot be made. */
export async function saveReceipt(id: string): Promise<void> {
  const token = (await currentAccessToken()) ?? ''
  const reply = await fetch(`/api${buildAddress(transactionReceiptFile, { params: { id } })}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!reply.ok) throw new Error(`status ${reply.status}`)
  saveFile(await reply.blob(), words.fileName({ reference: deriveReference(id) }))
}
