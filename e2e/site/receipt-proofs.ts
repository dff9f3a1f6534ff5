import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { transactionProof } from '../../packages/contract/src/transparency.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'

/** Sends money, and returns the proof of its receipt once the log contains it. */
export async function sendAndProve() {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const body = { recipient_id: recipient.id, amount: '10.00', source_currency: 'USD' } as const
  const { transaction_id: id } = await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const load = () => sender.call(transactionProof, { params: { id } })
  await expect.poll(async () => (await load()).state, { timeout: 120_000 }).toBe('logged')
  const proof = (await load()).proofs.find((each) => each.is_receipt)
  if (!proof) throw new Error('no proof belongs to the receipt')
  return { ...proof, transactionId: id }
}
