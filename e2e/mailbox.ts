import { expect } from '@playwright/test'

/** Returns the mails to an address, newest first. */
export async function loadMails(email: string): Promise<readonly { subject: string; text: string }[]> {
  const reply = await fetch(`${process.env.E2E_SANDBOX_URL}/api/mail?to=${encodeURIComponent(email)}`)
  return (await reply.json()) as { subject: string; text: string }[]
}

/** Waits for a mail matching a pattern; returns the newest match. */
export async function waitForMail(email: string, pattern: RegExp): Promise<string> {
  let match: string | undefined
  await expect
    .poll(async () => (match = (await loadMails(email)).map(({ text }) => pattern.exec(text)?.[0]).find(Boolean)), {
      timeout: 120_000,
    })
    .toBeTruthy()
  return match ?? ''
}

/** Returns the six-digit code of the mail that `trigger` sends. */
export async function waitForMailedCode(email: string, trigger: () => Promise<unknown>): Promise<string> {
  const codes = async () => (await loadMails(email)).filter(({ subject }) => /code/i.test(subject))
  const previousCount = (await codes()).length
  await trigger()
  await expect.poll(async () => (await codes()).length, { timeout: 120_000 }).toBeGreaterThan(previousCount)
  // The code is alone on its line, unlike the digits of amounts.
  return /^\s*(\d{6})\s*$/m.exec((await codes())[0]?.text ?? '')?.[1] ?? ''
}

/** Matches a mailed link to a page of the product. */
export const buildLinkPattern = (page: string) => new RegExp(`http\\S+/${page}[#?]token=[^\\s>)]+`)
