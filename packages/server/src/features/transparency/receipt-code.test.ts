import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { transactionReceiptFile } from '@tern/contract/transactions'
import { sendMoney } from '@tern/contract/transfers'
import { openTestApp } from '@tern/testkit/open-test-app'
import { readPdf } from '@tern/testkit/receipts/pdf'
import { parseVerifierKey } from '@tern/transparency/note-keys'
import { verifyReceiptText } from '@tern/transparency/verify-receipt'
import { expect, test, vi } from 'vitest'

const world = await openTestApp()
const { transparency, pool } = world.app.product
const verifier = fileURLToPath(new URL('../../../../transparency/verifier/verify_receipt.py', import.meta.url))

test.each([
  ['Letter', 'United States', 'USD'],
  ['A4', 'Germany', 'EUR'],
] as const)(
  'the code on a receipt on %s is read at 150 dpi, and both verifiers accept it',
  async (_, country, currency) => {
    const alice = await world.enroll(`alice-${currency}`, country)
    const bruno = await world.enroll(`bruno-${currency}`, 'Germany')
    await world.fund(alice, 10_000)
    const body = { recipient_id: bruno.id, amount: '40.00', source_currency: currency } as const
    const { transaction_id: id } = await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
    const loadFile = async () =>
      (
        await world.app.http.inject({
          method: transactionReceiptFile.method,
          url: `/api/transaction/${id}/receipt.pdf`,
          headers: { authorization: `Bearer ${alice.token}` },
        })
      ).rawPayload
    const pagesBefore = readPdf(await loadFile()).pages.length
    await vi.waitFor(
      async () => {
        await transparency.append(pool)
        expect(await transparency.findReceiptProof(pool, { userId: BigInt(alice.id), id })).toBeDefined()
      },
      { timeout: 300_000, interval: 100 },
    )
    const file = await loadFile()
    expect(readPdf(file).pages).toHaveLength(pagesBefore + 1)
    const code = readCodes(file).find((text) => text.includes('/verify#')) ?? ''
    const { log } = await transparency.readPolicy(pool)
    const policy = { logs: [parseVerifierKey(log)], witnesses: [], quorum: 0 }
    expect(verifyReceiptText(code, policy)).toMatchObject({ state: 'valid', facts: { reference: id } })
    const facts = execFileSync('python3', [verifier, '--log', log, '--text', code], { encoding: 'utf8' })
    expect(facts).toContain(id)
  },
)

/** Draws the pages at 150 dpi and reads their QR codes. */
function readCodes(file: Buffer): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'tern-receipt-'))
  try {
    const pdf = path.join(folder, 'receipt.pdf')
    writeFileSync(pdf, file)
    execFileSync('pdftoppm', ['-r', '150', '-gray', '-png', pdf, path.join(folder, 'page')])
    const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'))
    return pictures.flatMap((name) => {
      const options = ['-q', '--raw', '-Sdisable', '-Sqrcode.enable', path.join(folder, name)]
      return execFileSync('zbarimg', options, { encoding: 'utf8' }).trim().split('\n')
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
