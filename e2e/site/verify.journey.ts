import { expect, type Page, test } from '@playwright/test'
import { deriveReference } from '../../packages/contract/src/protocol/transaction-reference.ts'
import {
  formatVerifierKey,
  generateSigningKey,
  parseVerifierKey,
  toVerifierKey,
} from '../../packages/transparency/src/note-keys.ts'
import { formatCompactProof } from '../../packages/transparency/src/receipt-proof.ts'
import { createSampleProof, logKey } from '../../packages/transparency/test/sample-proof.ts'
import { expectNoOverflow } from '../page-texts.ts'
import { settle, widths } from '../pages.ts'
import { collectPageErrors, expectSoundState } from '../page-checks.ts'
import { sendAndProve } from './receipt-proofs.ts'

async function checkEveryWidth(page: Page, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await test.step(`${name}, ${width} px`, () => expectSoundState(page))
    await expectNoOverflow(page, name)
  }
}

test('a proof is verified without a network, from its address, as text and as a file', async ({ page, context }) => {
  const { url, file, transactionId } = await sendAndProve()
  const fragment = new URL(url).hash
  const pageErrors = collectPageErrors(page)
  await page.goto(`/verify${fragment}`)
  await expect(page.getByRole('heading', { level: 2, name: 'Valid' })).toBeVisible()
  for (const text of ['The payment is entry', 'signed this state']) await expect(page.getByText(text)).toBeVisible()
  // The facts are in the words of the receipt, to be compared with it.
  const facts = page.getByRole('definition')
  for (const fact of ['Transfer', deriveReference(transactionId), '−$10.10', '$0.10', /^€\d+\.\d\d$/, /UTC$/])
    await expect(facts.getByText(fact, { exact: true })).toBeVisible()
  await expect(facts.getByText(/ Tester$/)).toHaveCount(2)
  await checkEveryWidth(page, '/verify of a proof')

  await page.goto('/verify')
  await settle(page)
  await checkEveryWidth(page, '/verify')
  await page.waitForFunction(() => localStorage.getItem('tern-log-keys') !== null)
  await context.setOffline(true)
  const proof = page.getByRole('textbox', { name: 'Proof' })
  await proof.fill(file)
  await page.getByRole('button', { name: 'Verify' }).press('Enter')
  await expect(page.getByRole('heading', { level: 2, name: 'Valid' })).toBeFocused()

  const lines = file.split('\n')
  const index = lines.findIndex((line) => line.startsWith('index '))
  await proof.fill([...lines.slice(0, index), 'index 0', ...lines.slice(index + 1)].join('\n'))
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Not valid' })).toBeVisible()
  await expect(page.getByText('something in them, or in the proof, was changed')).toBeVisible()
  await checkEveryWidth(page, '/verify of a changed proof')

  await proof.fill(file.slice(0, 200))
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('The text is no complete proof.')).toBeVisible()

  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'receipt.tlog-proof', mimeType: 'text/plain', buffer: Buffer.from(file) })
  await expect(page.getByRole('heading', { level: 2, name: 'Valid' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('another key of a known log counts only after the visitor trusts it', async ({ page }) => {
  const { url } = await sendAndProve()
  await page.goto('/verify')
  await page.waitForFunction(() => localStorage.getItem('tern-log-keys') !== null)
  const [{ log }] = JSON.parse(await page.evaluate(() => localStorage.getItem('tern-log-keys') ?? '[]'))
  const { name } = parseVerifierKey(log)
  const other = formatVerifierKey(toVerifierKey(generateSigningKey({ name, type: 1 })))
  await page.evaluate(
    (kept) => localStorage.setItem('tern-log-keys', kept),
    JSON.stringify([{ log: other, witnesses: [] }]),
  )
  await page.goto(`/verify${new URL(url).hash}`)
  await page.reload()
  await expect(page.getByRole('heading', { level: 2, name: 'Cannot be checked' })).toBeVisible()
  await expect(page.getByText('It is signed with another key in the log’s name')).toBeVisible()
  await expect(page.getByText('signs with another key')).toBeVisible()
  await checkEveryWidth(page, '/verify with a changed key')
  await page.getByRole('button', { name: 'Trust the new key' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Valid', exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { level: 2, name: 'Valid', exact: true })).toBeVisible()
  await expect(page.getByText('signs with another key')).toBeHidden()
})

test.describe('with other answers of the server', () => {
  // Requests of a page with a service worker are not routed.
  test.use({ serviceWorkers: 'block' })

  test('a proof signed with a key that the visitor has replaced cannot be checked any more', async ({ page }) => {
    const { url } = await sendAndProve()
    await page.goto('/verify')
    await page.waitForFunction(() => localStorage.getItem('tern-log-keys') !== null)
    const [{ log }] = JSON.parse(await page.evaluate(() => localStorage.getItem('tern-log-keys') ?? '[]'))
    const { name } = parseVerifierKey(log)
    const newKey = formatVerifierKey(toVerifierKey(generateSigningKey({ name, type: 1 })))
    // The server names a new key, which the visitor trusts.
    await page.route('**/log/policy', (route) => route.fulfill({ json: { log: newKey, witnesses: [] } }))
    await page.goto(`/verify${new URL(url).hash}`)
    await page.reload()
    await expect(page.getByRole('heading', { level: 2, name: 'Valid', exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Trust the new key' }).click()
    await expect(page.getByRole('heading', { level: 2, name: 'Cannot be checked' })).toBeVisible()
    await expect(page.getByText('It is signed with the log’s earlier key')).toBeVisible()
    await checkEveryWidth(page, '/verify of an earlier key')
  })

  test('a proof newer than the keys is marked, and an unknown kind of movement is named as in the ledger', async ({
    page,
  }) => {
    await page.route('**/log/policy', (route) => route.abort())
    await page.goto('/verify')
    await page.evaluate(
      ([keys, history]) => {
        localStorage.setItem('tern-log-keys', keys ?? '')
        localStorage.setItem('tern-log-key-history', history ?? '')
      },
      [
        JSON.stringify([{ log: formatVerifierKey(toVerifierKey(logKey)), witnesses: [] }]),
        JSON.stringify({ loadedAt: '2026-11-01T12:00:00Z', replaced: [] }),
      ],
    )
    // A new document: the router restores the address that it had, if only the fragment changes before hydration.
    await page.goto('about:blank')
    await page.goto(`/verify#${formatCompactProof(createSampleProof())}`)
    await expect(page.getByRole('heading', { level: 2, name: 'Valid', exact: true })).toBeVisible()
    await expect(page.getByRole('definition').filter({ hasText: /^send$/ })).toBeVisible()
    await expect(page.getByText('The payment is newer than the key in this browser')).toBeVisible()
    await checkEveryWidth(page, '/verify of a proof newer than the keys')
  })
})
