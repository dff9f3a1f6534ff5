import { setTimeout as delay } from 'node:timers/promises'
import { expect, type Page } from '@playwright/test'
import { bankLinkStatus, finishBankLink, linkBankAccount } from '../packages/contract/src/banking.ts'
import { Refused } from '../packages/contract/src/protocol/client.ts'
import { mailStepUpCode, type StepUpRequirement, proveByCode } from '../packages/contract/src/security.ts'
import type { TestPerson } from '@tern/testkit/people'
import { waitForMailedCode } from './mailbox.ts'

/** Chooses bank and account on the sandbox's pages, until the consent step. */
export async function chooseAccount(page: Page, bank: string, currency: string): Promise<void> {
  await page.getByRole('link', { name: new RegExp(bank) }).click()
  await expect(page.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
  await page.getByRole('link', { name: new RegExp(`${currency}, account ending in`) }).click()
  await expect(page.getByRole('heading', { name: 'Share this account with Tern' })).toBeVisible()
}

/** Links a sandbox bank account without a browser; returns its id. */
export async function linkAccount(
  { call, email, password }: TestPerson,
  bank: string,
  currency: string,
): Promise<string> {
  const refusal = await call(linkBankAccount, { body: {} }).catch((error: unknown) => error)
  if (!(refusal instanceof Refused && refusal.code === 'step_up_required')) {
    throw new Error('linking an account asks for no confirmation', { cause: refusal })
  }
  const requirement = refusal.problem.confirmation as StepUpRequirement
  const params = { id: requirement.id }
  const code = await waitForMailedCode(email, () => call(mailStepUpCode, { params }))
  await call(proveByCode, { params, body: { password, code } })
  const { redirectUrl, link_id: id } = await call(linkBankAccount, { body: {}, confirmation: requirement.id })
  const reply = await fetch(redirectUrl, {
    method: 'POST',
    body: new URLSearchParams({ action: 'allow', bank, account: currency }),
    redirect: 'manual',
  })
  const secret = new URL(reply.headers.get('location') ?? '').searchParams.get('link_secret') ?? ''
  await call(finishBankLink, { params: { id }, body: { secret } })
  const deadline = Date.now() + 60_000
  for (;;) {
    const { status, bank_account: account } = await call(bankLinkStatus, { params: { id } })
    if (account) return account.id
    if (status !== 'pending' || Date.now() > deadline) throw new Error(`the link to ${bank} is ${status}`)
    await delay(100)
  }
}
