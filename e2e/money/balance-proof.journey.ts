import { expect, type Page, test } from '@playwright/test'
import {
  buildSampleTree,
  nameHolder,
  proveSample,
  sampleBalances,
  sampleDay,
} from '../../packages/transparency/test/sample-liabilities.ts'
import { logKey } from '../../packages/transparency/test/sample-proof.ts'
import { formatLoggedBalance } from '../../packages/transparency/src/liabilities/verify-balance.ts'
import { toSums } from '../../packages/transparency/src/liabilities/sums.ts'
import { formatVerifierKey, toVerifierKey } from '../../packages/transparency/src/note-keys.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { collectPageErrors, expectSoundState } from '../page-checks.ts'
import { expectNoOverflow } from '../page-texts.ts'
import { settle, signInThroughApi, widths } from '../pages.ts'

// The day of the running product has not ended, so a log with a key of its own answers for it.

async function checkEveryWidth(page: Page, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await test.step(`${name}, ${width} px`, () => expectSoundState(page))
    await expectNoOverflow(page, name)
  }
}

/** Reply of the product about a person who is owed 12.34 USD, in a tree with others. */
function buildReply(holder: string) {
  const own = toSums([{ currency: 'USD', scale: 2, minor: 1234n }])
  const tree = buildSampleTree(
    new Map([
      [nameHolder(2), sampleBalances(2)],
      [holder, own],
    ]),
  )
  const balances = [{ currency: 'USD', amount: '12.34' }]
  return { state: 'proved', day: sampleDay, holder, balances, file: formatLoggedBalance(proveSample(tree, holder)) }
}

test('the page proves that the balance is counted, and says in red what is wrong otherwise', async ({ page }) => {
  const [sender] = await enrollSenderAndRecipient(200_00)
  const proved = buildReply(String(sender.id))
  let reply: object | undefined = proved
  await page.route('**/log/policy', (route) =>
    route.fulfill({ json: { log: formatVerifierKey(toVerifierKey(logKey)), witnesses: [] } }),
  )
  await page.route('**/api/balances/proof', (route) =>
    reply ? route.fulfill({ json: reply }) : route.fulfill({ status: 500, json: {} }),
  )
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  const open = async (next: object | undefined) => {
    reply = next
    await page.goto('/statements')
    await settle(page)
  }
  const section = page.getByRole('region', { name: 'My balance is counted' })
  const value = (term: string) => section.locator('dl > div').filter({ hasText: term }).locator('dd')

  await open(proved)
  await expect(section.getByText('Your balance is in it', { exact: true })).toBeVisible()
  await expect(value('Your USD')).toHaveText('$12.34')
  await expect(value('Owed to all in USD')).toHaveText('$32.44')
  await expect(section.getByText('The log tern.example/log has signed the sum.')).toBeVisible()
  await checkEveryWidth(page, 'a valid proof')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    section.getByRole('button', { name: 'Save the proof' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`Tern balance ${sampleDay}.tlog-proof`)

  await open({ ...proved, balances: [{ currency: 'USD', amount: '12.35' }] })
  await expect(
    section.getByRole('alert').or(section.getByText('The sum counts another balance than yours.')).first(),
  ).toBeVisible()
  await expect(section.getByText('Your balance is in it', { exact: true })).toBeHidden()
  await checkEveryWidth(page, 'another balance')

  await open(buildReply(nameHolder(9)))
  await expect(section.getByText('The proof belongs to another account.')).toBeVisible()

  await open({ ...proved, state: 'missing', file: null })
  await expect(section.getByText('Your balance is not counted')).toBeVisible()
  await checkEveryWidth(page, 'a balance that is left out')

  await open({ ...proved, state: 'not_yet', day: null, balances: [], file: null })
  await expect(section.getByText('The first proof is ready after the end of a day (UTC).')).toBeVisible()
  await open({ ...proved, state: 'nothing_owed', balances: [], file: null })
  await expect(section.getByText('Your account had no money')).toBeVisible()
  expect(pageErrors).toEqual([])
})
