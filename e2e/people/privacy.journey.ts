import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { randomUUID } from 'node:crypto'
import { legalDocuments } from '../../packages/contract/src/site/legal-documents.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, logIn, productUrl, settle } from '../pages.ts'
import { confirmByMail } from '../step-up.ts'
import { endGracePeriod } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// The browser logs these refusals: a step-up requirement, a remaining balance, an ended session.
const refusals = /status of (40[139]|422)/

const section = (page: Page) => page.getByRole('region', { name: 'Everything we hold about you' })
const findDialog = (page: Page, name: string) => page.getByRole('dialog', { name })

async function openSettings(page: Page, person: TestPerson) {
  await signInThroughApi(page, person)
  await page.goto('/settings/privacy')
  await expect(section(page).getByRole('row')).toHaveCount(11)
}

const send = (from: TestPerson, to: TestPerson, amount: string) =>
  from.call(sendMoney, {
    body: { recipient_id: to.id, amount, source_currency: 'USD', description: 'Rent' },
    idempotencyKey: randomUUID(),
  })

test('shows held data, requests a correction, and downloads everything', async ({ page }) => {
  const [nora, otto] = [
    await enroll(productUrl(), 'nora', 'United States'),
    await enroll(productUrl(), 'otto', 'United States'),
  ]
  await fund(nora, 5000)
  await send(nora, otto, '12.50')
  const pageErrors = collectPageErrors(page, refusals)
  await openSettings(page, nora)
  await expect(section(page).getByRole('row', { name: /^Identity/ })).toContainText('5 years after you leave')
  await expect(section(page)).toContainText('No one has looked at your data.')
  await expect(section(page)).toContainText(`Version ${legalDocuments.privacy.version}, agreed`)
  await settle(page)
  await expectAccessible(page)

  await section(page)
    .getByRole('button', { name: /^Correct: Identity/ })
    .click()
  const correction = findDialog(page, 'What should we correct?')
  await correction.getByRole('button', { name: 'Ask for the correction' }).click()
  await expect(correction.getByLabel('Detail')).toHaveAttribute('aria-invalid', 'true')
  await correction.getByLabel('Detail').selectOption('Address')
  await correction.getByLabel('What it should say').fill('2 Side Street, Springfield')
  await settle(page)
  await expectAccessible(page)
  await correction.getByRole('button', { name: 'Ask for the correction' }).click()
  await expect(correction).toBeHidden()
  await expect(section(page)).toContainText('Address: 2 Side Street, Springfield')
  await expect(section(page)).toContainText('We answer by')

  await section(page).getByRole('button', { name: 'Download all' }).click()
  await settle(page)
  await expectAccessible(page)
  const downloads = page.waitForEvent('download')
  await findDialog(page, 'Download all').getByRole('button', { name: 'JSON' }).click()
  await confirmByMail(page, nora)
  const download = await downloads
  expect(download.suggestedFilename()).toMatch(/^tern-data-[\d-]+-json\.zip$/)
  const files = unzipSync(new Uint8Array(await readFile(await download.path())))
  const readRows = (name: string) =>
    JSON.parse(strFromU8(files[`${name}.json`] ?? new Uint8Array())) as Record<string, unknown>[]
  expect(readRows('account/app_user')).toMatchObject([{ email: nora.email, username: nora.username }])
  expect(readRows('identity/full_number')).toContainEqual(expect.objectContaining({ number: nora.idNumber }))
  expect(readRows('money/transaction')).toContainEqual(
    expect.objectContaining({ kind: 'SEND', source_amount: '12.50', other_username: otto.username }),
  )
  expect(readRows('privacy/correction_request')).toMatchObject([{ right_value: '2 Side Street, Springfield' }])
  await waitForMail(nora.email, /we\s+hold\s+about\s+you\s+was\s+downloaded/)
  await page.reload()
  await expect(section(page)).toContainText('You downloaded everything')
  expect(pageErrors).toEqual([])
})

test('an account with money stays; emptied, a login keeps it, and it is deleted after the grace period', async ({
  page,
}) => {
  const [paul, quin] = [
    await enroll(productUrl(), 'paul', 'United States'),
    await enroll(productUrl(), 'quin', 'United States'),
  ]
  await fund(quin, 5000)
  await send(quin, paul, '10.05')
  const pageErrors = collectPageErrors(page, refusals)
  await openSettings(page, paul)
  const deleteButton = section(page).getByRole('button', { name: 'Delete my account' })
  await deleteButton.click()
  const refusalDialog = findDialog(page, 'Not yet')
  await expect(refusalDialog).toContainText('$10.05 in your wallet')
  await settle(page)
  await expectAccessible(page)
  await refusalDialog.getByRole('button', { name: 'Close' }).last().click()

  await send(paul, quin, '10.00')
  await deleteButton.click()
  const deleteDialog = findDialog(page, 'Delete your account?')
  await expect(deleteDialog).toContainText('Gone at once')
  await expect(deleteDialog).toContainText('Sealed, as the law requires')
  await expect(deleteDialog).toContainText('You have 14 days to change your mind')
  await settle(page)
  await expectAccessible(page)
  await deleteDialog.getByRole('button', { name: 'Delete my account' }).click()
  await confirmByMail(page, paul)
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByText(/^Your account is closed, and will be deleted on .+\./)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await waitForMail(paul.email, /your\s+account\s+stays\s+exactly\s+as\s+it\s+was/)

  await logIn(page, paul)
  await expect(page.getByRole('heading', { name: 'Your account stays' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
  await waitForMail(paul.email, /so\s+it\s+stays,\s+with\s+everything/)

  await page.goto('/settings/privacy')
  await deleteButton.click()
  await deleteDialog.getByRole('button', { name: 'Delete my account' }).click()
  await confirmByMail(page, paul)
  await expect(page).toHaveURL(/\/login$/)
  await endGracePeriod(paul)
  await waitForMail(paul.email, /used\s+for\s+nothing\s+else/)

  await logIn(page, paul)
  await expect(page.getByText('That email or password is incorrect.')).toBeVisible()

  await signInThroughApi(page, quin)
  await page.goto('/transactions')
  await expect(page.getByText('Deleted account').first()).toBeVisible()
  const transactions = await quin.transactions()
  const typesAndAmounts = transactions.map(({ transaction_type: type, amount }) => [type, amount])
  expect(typesAndAmounts).toEqual([
    ['RECEIVE', '10.00'],
    ['SEND', '10.10'],
    ['DEPOSIT', '50.00'],
  ])
  expect((await quin.wallet()).fiat_balance).toBe('49.90')
  expect(pageErrors).toEqual([])
})
