import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { deriveReference } from '../../packages/contract/src/protocol/transaction-reference.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { signInThroughApi, clearSession, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

async function downloadFile(page: Page, button: string): Promise<Buffer> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  return readFile(await (await download).path())
}

test('a receipt is read, saved as a PDF and as a picture, and printed', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const body = { recipient_id: recipient.id, amount: '10.00', source_currency: 'USD', description: 'Rent' } as const
  const { transaction_id: id } = await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const pageErrors = collectPageErrors(page, /404/)
  await signInThroughApi(page, sender)
  await page.goto(`/transactions?details=${id}`)
  await page.getByRole('link', { name: 'Receipt' }).click()
  await expect(page).toHaveURL(`/receipt?id=${id}`)
  await expect(page.getByRole('heading', { level: 1, name: 'United States to Germany' })).toBeVisible()
  await expect(page.getByText(/^Arrived in (under a second|\d+ seconds?)$/)).toBeVisible()
  await expect(page.getByRole('img', { name: 'Map of the route: United States to Germany.' })).toBeVisible()
  await expect(page.getByText('Each dot stands for a whole country')).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code: this receipt at Tern' })).toBeVisible()
  const sheet = page.getByRole('article')
  for (const text of ['$10.10', '€9.30', '1 USD = 0.9300 EUR', deriveReference(id), 'Rent', id]) {
    await expect(sheet.getByText(text, { exact: true }).first()).toBeVisible()
  }
  await settle(page)
  await expectAccessible(page)

  const pdf = await downloadFile(page, 'Save as PDF')
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.length).toBeGreaterThan(20_000)

  await page.getByRole('button', { name: 'Share' }).click()
  await expect(page.getByRole('button', { name: 'Without amounts' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('img', { name: 'Preview of the picture' })).toHaveAttribute('aria-busy', 'false')
  await expectAccessible(page)
  const plainPicture = await downloadFile(page, 'Save picture')
  await page.getByRole('button', { name: 'With amounts' }).click()
  await expect(page.getByRole('img', { name: 'Preview of the picture' })).toHaveAttribute('aria-busy', 'false')
  const pictureWithAmounts = await downloadFile(page, 'Save picture')
  for (const picture of [plainPicture, pictureWithAmounts]) {
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 1200])
  }
  expect(plainPicture.equals(pictureWithAmounts)).toBe(false)
  await page.keyboard.press('Escape')

  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('button', { name: 'Save as PDF' })).toBeHidden()
  await expect(sheet.getByText('United States to Germany')).toBeVisible()
  await page.emulateMedia({ media: null })

  await expect(page.getByRole('img', { name: 'QR code: proof that this payment is in the books' })).toBeVisible()
  await expectAccessible(page)
  const proof = await downloadFile(page, 'Save the proof')
  expect(proof.toString().split('\n')[0]).toBe('c2sp.org/tlog-proof@v1')
  await page.getByRole('link', { name: 'Verify', exact: true }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Valid', exact: true })).toBeVisible()

  await clearSession(page)
  await signInThroughApi(page, recipient)
  await page.goto(`/receipt?id=${id}`)
  await expect(page.getByText('Received', { exact: true })).toBeVisible()
  await page.goto(`/receipt?id=${randomUUID()}`)
  await expect(page.getByText('Receipt not found')).toBeVisible()
  expect(pageErrors).toEqual([])
})
