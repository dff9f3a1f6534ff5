// Operators sign in with a link from the command line. Two of them decide on a hold: the first by keyboard, the second
// without seeing the first decision.

import { expect, type Page, test } from '@playwright/test'
import { transferStatus } from '../../packages/contract/src/transfers.ts'
import { settle } from '../pages.ts'
import { loadBalances, enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, expectReadable, collectPageErrors } from '../page-checks.ts'
import { adminUrl, requireTwoOperatorsAbove, signInAsOperator, holdForReview, runDesk } from './operators.ts'

/** Suffix of operator names, which cannot be reused. */
const stamp = String(Date.now()).slice(-6)

const holdLinks = (page: Page) => page.getByRole('list', { name: 'Holds' }).getByRole('link')
const asideText = (page: Page, text: string) => page.getByRole('complementary').getByText(text)

async function expectSoundDeskPage(page: Page): Promise<void> {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await settle(page)
    await expectAccessible(page)
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectReadable(page)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('two operators release a held transfer, the second blind, and the money moves once', async ({ page, browser }) => {
  const pageErrors = collectPageErrors(page, /status of 40[149]/)
  await requireTwoOperatorsAbove(10_00)
  const [sender, recipient] = await enrollSenderAndRecipient()
  const id = await holdForReview(sender, recipient, '20.00')
  const balancesBefore = await loadBalances(sender, recipient)

  await signInAsOperator(page, `Marta ${stamp}`, 'reviewer')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await expect(page.getByRole('heading', { name: 'Holds', level: 1 })).toBeVisible()
  await expectSoundDeskPage(page)
  await expect(holdLinks(page).filter({ hasText: 'sam' })).not.toHaveCount(0)
  // Uses the keyboard instead of the mouse from here on.
  await page.goto(`${adminUrl()}/desk/queues/holds/${id}`)
  await expect(page.getByRole('heading', { name: /sam Tester/ })).toBeVisible()
  await expect(page.getByRole('main').getByText('rosa Tester')).toBeVisible()
  await page.keyboard.press('4')
  await expect(page.getByRole('heading', { name: 'People', exact: true })).toBeFocused()
  await page.keyboard.press('c')
  await expect(page.getByRole('radio', { name: 'Clear and release' })).toBeFocused()
  await page.keyboard.press('Control+Enter')
  await expect(asideText(page, 'At least 10 characters. Kept in the log.').first()).toBeVisible()
  await page
    .getByRole('textbox', { name: 'Reason for your decision' })
    .fill('The two know each other; the bill is in order.')
  await expectSoundDeskPage(page)
  await page.getByRole('textbox', { name: 'Reason for your decision' }).press('Control+Enter')
  await expect(asideText(page, 'Recorded. A second person has to decide')).toBeVisible()
  await expect(page.getByText('You have already decided.')).toBeHidden()
  expect((await sender.call(transferStatus, { params: { id } })).state).toBe('held')

  const otherPage = await (await browser.newContext()).newPage()
  await signInAsOperator(otherPage, `Daniel ${stamp}`, 'reviewer')
  await otherPage.goto(`${adminUrl()}/desk/queues/holds/${id}`)
  await expect(asideText(otherPage, 'Hidden until a second person has decided')).toBeVisible()
  await expect(otherPage.getByText('the bill is in order')).toBeHidden()
  await otherPage.getByRole('radio', { name: 'Clear and release' }).check()
  await otherPage.getByRole('textbox', { name: 'Reason for your decision' }).fill('Both have been customers for years.')
  await otherPage.getByRole('button', { name: /^Record my decision/ }).click()
  await expect(asideText(otherPage, 'Recorded and carried out.')).toBeVisible()
  expect((await sender.call(transferStatus, { params: { id } })).state).toBe('settled')
  expect(await loadBalances(sender, recipient)).not.toEqual(balancesBefore)

  // Operators can neither read nor decide cases that concern an account of their own.
  const ownHoldId = await holdForReview(sender, recipient, '5.00')
  await runDesk('link-account', `Marta ${stamp}`, '--account', sender.email)
  await page.goto(`${adminUrl()}/desk/queues/holds/${ownHoldId}`)
  await expect(asideText(page, 'it concerns your own account')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Send from a wallet' })).toBeVisible()
  await expect(page.getByText('The subject of this entry is hidden from you.')).toBeVisible()
  await expect(page.getByRole('main').getByText(/Tester/)).toBeHidden()
  await expect(page.getByRole('button', { name: /^Record my decision|^Note|^Take/ })).toBeHidden()
  await expectSoundDeskPage(page)
  await otherPage.goto(`${adminUrl()}/desk/queues/holds/${ownHoldId}`)
  await otherPage.getByRole('radio', { name: 'Return to sender' }).check()
  await otherPage.getByRole('textbox', { name: 'Reason for your decision' }).fill('The bill was withdrawn.')
  await otherPage.getByRole('button', { name: /^Record my decision/ }).click()
  await expect(asideText(otherPage, 'Recorded and carried out.')).toBeVisible()
  await otherPage.context().close()
  expect(pageErrors).toEqual([])
})

test('forbidden actions are hidden from a role, a lead sees who did what, and a session ends', async ({
  page,
  browser,
}) => {
  await signInAsOperator(page, `Sofia ${stamp}`, 'lead')
  const rail = page.getByRole('navigation', { name: 'Desk' })
  const [sender] = await enrollSenderAndRecipient(0)

  await page.keyboard.press('/')
  await page.getByRole('searchbox').fill(sender.email)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: sender.username })).toBeVisible()
  await expectSoundDeskPage(page)
  for (const name of ['Treasury', 'Operators', 'Log']) {
    await rail.getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    await expectSoundDeskPage(page)
  }
  for (const name of ['Reconciliation', 'Stuck payouts', 'Verifications']) {
    await rail.getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  }
  await expectAccessible(page)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await expect(page.getByRole('row', { name: /Sofia \d+ searched for a person/ }).first()).toBeVisible()

  const auditor = await (await browser.newContext()).newPage()
  await signInAsOperator(auditor, `Ivo ${stamp}`, 'auditor')
  await expect(auditor.getByRole('navigation', { name: 'Desk' }).getByRole('link')).toHaveText(['Log'])
  await auditor.goto(`${adminUrl()}/desk/queues/holds`)
  await expect(auditor.getByText('Your roles give you no access here.')).toBeVisible()
  await auditor.getByRole('button', { name: 'Log out' }).click()
  await expect(auditor.getByRole('heading', { name: 'Log in to the desk' })).toBeVisible()
  await expectSoundDeskPage(auditor)
  await auditor.context().close()
})
