import { expect, type Page } from '@playwright/test'
import { demoAccounts } from '../packages/server/src/commands/demo/demo-accounts.ts'
import { paths } from '../packages/web/src/app/paths.ts'
import { enroll } from '@tern/testkit/people'
import { signInThroughApi, memberPages, productUrl, settle, visitorPages } from './pages.ts'

type PageCheck = (page: Page, description: string) => Promise<void>

const overlay = (index: number) => `.specimens:has(> .toast) > .specimen-row > button >> nth=${index}`

/** Elements to press on each page, to open a sheet, dialog or next step, or to show the error of an empty field. */
const pressTargets: Readonly<Record<string, readonly string[]>> = {
  [paths.signup]: ['form button[type=submit]'],
  [paths.dashboard]: ['.tab-bar button'],
  [paths.transactions]: ['button:has(.icon-filter)', '.activity-row >> nth=0'],
  [paths.statements]: ['.sheet .button-primary'],
  [paths.wallet]: ['.disclosure > summary', 'form button[type=submit]'],
  [paths.exchange]: ['form button[type=submit]'],
  [paths.send]: ['.action-bar .button-primary'],
  [paths.deposit]: ['form button[type=submit]'],
  [paths.withdraw]: ['form button[type=submit]'],
  [paths.profile]: ['.ruled button >> nth=-1'],
  [paths.settings]: [0, 1, 2].map((index) => `button.setting-row >> nth=${index}`),
  [paths.gallery]: [1, 2, 3].map(overlay),
}

/** Checks pages, and with `checkAfterPress` the result of each press on their `pressTargets`. */
async function checkPages(
  page: Page,
  addresses: readonly string[],
  checkPage: PageCheck,
  checkAfterPress?: PageCheck,
): Promise<void> {
  for (const address of addresses) {
    await page.goto(address)
    await settle(page)
    await checkPage(page, address)
    if (!checkAfterPress) continue
    for (const target of pressTargets[new URL(page.url()).pathname] ?? []) {
      await page.locator(target).click({ timeout: 120_000 })
      // The filter and the details of a transaction load their sheet only when opened.
      if (address === paths.transactions) await expect(page.getByRole('dialog')).toBeVisible()
      await settle(page)
      await checkAfterPress(page, `${address} after a press on ${target}`)
      await page.keyboard.press('Escape')
      if (address === paths.transactions) await expect(page.getByRole('dialog')).toHaveCount(0)
    }
  }
}

/**
 * Checks the pages of visitors, a new user and a user with history. `checkAfterPress` also checks the result of each
 * press on `pressTargets`; it needs a window as narrow as a phone.
 */
export async function checkAllPages(
  open: () => Promise<Page>,
  checkPage: PageCheck,
  checkAfterPress?: PageCheck,
): Promise<void> {
  const visitorPage = await open()
  await checkPages(visitorPage, [...visitorPages, '/no-such-page'], checkPage, checkAfterPress)
  await visitorPage.context().close()

  const newUserPage = await open()
  await signInThroughApi(newUserPage, await enroll(productUrl(), 'noa', null))
  await checkPages(newUserPage, [paths.dashboard, paths.register], checkPage, checkAfterPress)
  await newUserPage.context().close()

  const memberPage = await open()
  await signInThroughApi(memberPage, demoAccounts[0])
  await checkPages(memberPage, memberPages, checkPage, checkAfterPress)
  await memberPage.context().close()
}
