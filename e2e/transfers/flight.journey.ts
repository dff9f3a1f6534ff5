import { expect, test } from '@playwright/test'
import { enter, settle } from '../pages.ts'
import { goToReview, send, senderAndRecipient } from '../sending.ts'
import { watch } from '../watch.ts'

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const stands = reducedMotion === 'reduce'
  test(`money that lands ${stands ? 'shows its finished route' : 'is flown once'} in both windows`, async ({
    page,
    browser,
  }) => {
    const [sender, recipient] = await senderAndRecipient()
    const context = await browser.newContext({ reducedMotion })
    const theirs = await context.newPage()
    const complaints = [watch(page), watch(theirs)]
    await enter(theirs, recipient)
    await theirs.goto('/dashboard')
    await settle(theirs)
    await page.emulateMedia({ reducedMotion })
    await goToReview(page, sender, recipient, '10.00')
    await send(page)
    await expect(page.getByText('Transfer Successful!')).toBeVisible()
    for (const window of [page, theirs]) {
      await expect(window.locator('.tern-flight-line')).toHaveCount(1)
      const bird = window.locator('.tern-flight-bird')
      await expect(bird).toHaveCSS('animation-name', stands ? 'none' : /tern-fly/)
    }
    // The line to the sender disappears, because the dashboard's map shows only people paid.
    await expect(theirs.locator('.tern-flight-line')).toHaveCount(0, { timeout: 120_000 })
    await theirs.reload()
    await settle(theirs)
    await expect(theirs.locator('.tern-flight-line')).toHaveCount(0)
    expect(complaints).toEqual([[], []])
    await context.close()
  })
}
