import { setTimeout as delay } from 'node:timers/promises'
import { expect, type Page } from '@playwright/test'
import * as OTPAuth from 'otpauth'
import { Refused } from '../packages/contract/src/protocol/client.ts'
import { mailStepUpCode, proveByCode, type StepUpRequirement } from '../packages/contract/src/security.ts'
import type { TestPerson } from '@tern/testkit/people'
import { waitForMailedCode } from './mailbox.ts'

export const dialog = (page: Page) =>
  page.getByRole('dialog', { name: /^Confirm (it's you|this payment|this withdrawal|this scheduled send)$/ })

export const password = (page: Page) => page.getByLabel('Your password', { exact: true })

/** Confirms with password and mailed code. */
export async function confirmByMail(page: Page, person: TestPerson): Promise<void> {
  await password(page).fill(person.password)
  const code = await waitForMailedCode(person.email, async () => {
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await expect(page.getByText(`We emailed a code to ${person.email}.`)).toBeVisible()
  })
  await page.getByLabel('Code from the email').fill(code)
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(dialog(page)).toBeHidden()
}

/** Makes an API call with step-up, confirmed by password and mailed code. */
export async function callWithConfirmation<T>(
  person: TestPerson,
  call: (confirmation?: string) => Promise<T>,
): Promise<T> {
  const requirement = await call().then(
    () => undefined,
    (error: unknown) => (error instanceof Refused ? (error.problem.confirmation as StepUpRequirement) : undefined),
  )
  if (!requirement) throw new Error('no confirmation was asked for')
  const params = { id: requirement.id }
  const code = await waitForMailedCode(person.email, () => person.call(mailStepUpCode, { params }))
  await person.call(proveByCode, { params, body: { password: person.password, code } })
  return call(requirement.id)
}

const periodMs = 30_000
/** Minimum remaining validity of a code, so that it reaches the server in time. */
const minRemainingMs = 15_000

/**
 * Returns a generator of an authenticator app's codes. A code is valid once, in its own half minute and the adjacent
 * ones, and not after a later code: each call uses a later half minute and waits if needed.
 */
export function createCodeGenerator(secret: string): () => Promise<string> {
  const app = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) })
  const currentStep = () => Math.floor(Date.now() / periodMs)
  let lastStep = 0
  return async () => {
    lastStep = Math.max(lastStep + 1, Math.ceil((Date.now() + minRemainingMs) / periodMs) - 2)
    while (lastStep > currentStep() + 1) await delay(500)
    return app.generate({ timestamp: lastStep * periodMs })
  }
}
