import { expect, type Page, test } from '@playwright/test'
import { connect } from '../../packages/server/src/platform/database/db.ts'
import { createSchedule, type NewSchedule, schedules } from '../../packages/contract/src/schedules/schedules.ts'
import type { TestPerson } from '@tern/testkit/people'
import { signInThroughApi, settle, widths } from '../pages.ts'
import { callWithConfirmation, dialog, confirmByMail } from '../step-up.ts'
import { loadBalances, recipientField, enrollSenderAndRecipient, countSends } from '../send-form.ts'
import { expectSoundState } from '../page-checks.ts'

const dateAfterDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const row = (page: Page, name: string | RegExp) => page.getByRole('button', { name, expanded: false })

/** Creates a scheduled send with step-up through the API. */
function createConfirmedSchedule(sender: TestPerson, body: NewSchedule) {
  const idempotencyKey = crypto.randomUUID()
  return callWithConfirmation(sender, (confirmation) =>
    sender.call(createSchedule, { body, idempotencyKey, confirmation }),
  )
}

/** Makes a person's schedules due; a worker then sends them or records the reason for not sending. */
async function makeScheduleDue(person: TestPerson): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    await pool.query(`update schedule set next_at = now(), warn_at = null where user_id = $1 and state = 'active'`, [
      person.id,
    ])
    await pool.query(`select graphile_worker.add_job('run_schedules')`)
  } finally {
    await pool.end()
  }
}

test('a monthly send with a rate guard: ordered, sent on its day, paused, changed and stopped', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  await signInThroughApi(page, sender)
  await page.goto('/scheduled')
  await expect(page.getByText('Nothing scheduled')).toBeVisible()
  await page.getByRole('link', { name: 'Schedule a send' }).first().click()
  await expect(page.getByRole('heading', { name: 'Schedule a send' })).toBeFocused()

  // A missing value is reported at its field.
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect(recipientField(page)).toBeFocused()
  await recipientField(page).fill(recipient.username)
  await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
  await page.getByRole('textbox', { name: 'Amount' }).fill('20')
  await page.getByLabel('What it’s for').fill('Rent share')
  await expect(page.getByLabel('How often')).toHaveValue('monthly')
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect(page.getByText('Choose a date after today')).toBeVisible()
  await page.getByLabel('First on').fill(dateAfterDays(3))
  await page.getByRole('switch', { name: 'Rate guard' }).check()
  await page.getByLabel('Only if I pay at most').fill('30')
  await expect(page.getByText('This is today’s price.')).toBeVisible()
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect(dialog(page)).toContainText('Each send goes out automatically')
  await confirmByMail(page, sender)
  await expect(row(page, /Rent share, every month/)).toContainText('Under $30.00')
  await expect(page.getByText('Going out in the next five weeks')).toBeVisible()

  await makeScheduleDue(sender)
  await expect(page.getByRole('heading', { name: 'Past dates' })).toBeVisible({ timeout: 120_000 })
  await expect(page.getByRole('link', { name: 'Sent' })).toBeVisible()
  const [senderBalance, received] = await loadBalances(sender, recipient)
  expect(received).toBe('20.00')
  expect(senderBalance).not.toBe('100.00')
  expect(await countSends(sender)).toBe(1)

  await row(page, /Rent share/).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Paused' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('heading', { name: 'Coming up' })).toBeVisible()

  // An earlier date than the confirmed one requires step-up, which states this reason.
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Next on').fill(dateAfterDays(6))
  await expect(page.getByText('This is today’s price.')).toBeVisible()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(dialog(page)).toContainText('The new date comes sooner than you confirmed.')
  await confirmByMail(page, sender)
  await expect(page.getByRole('heading', { name: 'Coming up' })).toBeVisible()
  await row(page, /Rent share/).click()

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Amount' }).fill('15')
  await expect(page.getByText('This is today’s price.')).toBeVisible()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(row(page, /Rent share/)).toContainText('€15.00')

  await row(page, /Rent share/).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  const stopDialog = page.getByRole('alertdialog', { name: /Stop sending to/ })
  await expect(stopDialog.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await stopDialog.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText('Nothing scheduled')).toBeVisible()
  await makeScheduleDue(sender)
  expect(await countSends(sender)).toBe(1)
})

test('an insufficient balance is shown in advance, with why a date waits', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(10_00)
  const scheduleWeekly = (amount: string, rate_guard?: string) =>
    createConfirmedSchedule(sender, {
      ...{ recipient_id: recipient.id, source_currency: 'USD', target_currency: 'EUR', side: 'target', amount },
      ...{ recurrence: 'weekly', next_on: dateAfterDays(4), time_zone: 'UTC', ...(rate_guard ? { rate_guard } : {}) },
    })
  await scheduleWeekly('5.00', '1.00')
  await scheduleWeekly('40.00')
  await signInThroughApi(page, sender)
  await page.goto('/scheduled')
  await expect(page.getByText(/you’ll be \$.* short/)).toBeVisible()
  await expect(page.getByRole('img', { name: /you are .* short/ })).toBeVisible()
  await makeScheduleDue(sender)
  await expect(row(page, /Due/).first()).toBeVisible({ timeout: 120_000 })
  await row(page, /€5\.00/).click()
  await expect(page.getByText(/It costs more than you agreed to\. We keep trying until/)).toBeVisible()
  await row(page, /€40\.00/).click()
  await expect(page.getByText(/Your balance isn't high enough\. We keep trying until/)).toBeVisible()
  await page.getByRole('button', { name: /^Skip/ }).click()
  await expect(page.getByText('You skipped this date.')).toBeVisible()
  expect((await sender.call(schedules, {})).schedules).toHaveLength(2)
})

test('a load that fails can be repeated', async ({ page }) => {
  const [sender] = await enrollSenderAndRecipient(0)
  await signInThroughApi(page, sender)
  await page.route('**/api/schedules', (route) => route.abort())
  await page.goto('/scheduled')
  await expect(page.getByText("We couldn't load your scheduled sends.")).toBeVisible({ timeout: 120_000 })
  await page.unroute('**/api/schedules')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nothing scheduled')).toBeVisible()
})

for (const width of widths) {
  test(`the list and the form, ${width} px, in both themes`, async ({ browser }) => {
    const [sender, recipient] = await enrollSenderAndRecipient(50_00)
    for (const [amount, recurrence] of [
      ['9.00', 'weekly'],
      ['30.00', 'once'],
    ] as const) {
      await createConfirmedSchedule(sender, {
        ...{ recipient_id: recipient.id, source_currency: 'USD', target_currency: 'EUR', side: 'target', amount },
        ...{
          recurrence,
          next_on: dateAfterDays(5),
          time_zone: 'UTC',
          description: 'Music lessons',
          rate_guard: '60.00',
        },
      })
    }
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    await signInThroughApi(page, sender)
    await page.goto('/scheduled')
    // The outlook moves the rows below it when it loads.
    await settle(page)
    await row(page, /€9\.00/).click()
    await expect(page.getByRole('switch', { name: 'Rate guard' })).toBeVisible()
    await expectSoundState(page)
    await page.getByRole('link', { name: 'Schedule a send' }).first().click()
    await expect(recipientField(page)).toBeVisible()
    await expectSoundState(page)
    await context.close()
  })
}
