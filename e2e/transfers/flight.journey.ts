import { expect, test } from '@playwright/test'
import { signInThroughApi, settle } from '../pages.ts'
import { goToReview, clickSend, enrollSenderAndRecipient } from '../send-form.ts'
import { collectPageErrors } from '../page-checks.ts'

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const hasReducedMotion = reducedMotion === 'reduce'
  test(`money that lands ${hasReducedMotion ? 'shows its finished route' : 'is flown once'} in both windows`, async ({
    page,
    browser,
  }) => {
    const [sender, recipient] = await enrollSenderAndRecipient()
    const context = await browser.newContext({ reducedMotion })
    const recipientPage = await context.newPage()
    const pageErrors = [collectPageErrors(page), collectPageErrors(recipientPage)]
    await signInThroughApi(recipientPage, recipient)
    await recipientPage.goto('/dashboard')
    await settle(recipientPage)
    await page.emulateMedia({ reducedMotion })
    await goToReview(page, sender, recipient, '10.00')
    await clickSend(page)
    await expect(page.getByText('Transfer Successful!')).toBeVisible()
    for (const window of [page, recipientPage]) {
      await expect(window.locator('.tern-flight-line')).toHaveCount(1)
      const bird = window.locator('.tern-flight-bird')
      await expect(bird).toHaveCSS('animation-name', hasReducedMotion ? 'none' : /tern-fly/)
    }
    // The line to the sender disappears, since the dashboard's map shows only people whom the user has paid.
    await expect(recipientPage.locator('.tern-flight-line')).toHaveCount(0, { timeout: 120_000 })
    await recipientPage.reload()
    await settle(recipientPage)
    await expect(recipientPage.locator('.tern-flight-line')).toHaveCount(0)
    expect(pageErrors).toEqual([[], []])
    await context.close()
  })
}
