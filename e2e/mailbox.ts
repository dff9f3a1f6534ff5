import { expect } from '@playwright/test'

/** Mails to an address, newest first. */
export async function mailsTo(email: string): Promise<readonly { subject: string; text: string }[]> {
  const reply = await fetch(`${process.env.E2E_SANDBOX_URL}/api/mail?to=${encodeURIComponent(email)}`)
  return (await reply.json()) as { subject: string; text: string }[]
}

/** Waits for a mail matching a pattern; returns the newest match. */
export async function mailed(email: string, wanted: RegExp): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => (found = (await mailsTo(email)).map(({ text }) => wanted.exec(text)?.[0]).find(Boolean)), {
      timeout: 120_000,
    })
    .toBeTruthy()
  return found ?? ''
}

/** Verification code of the mail triggered by `ask`. */
export async function mailedCode(email: string, ask: () => Promise<unknown>): Promise<string> {
  const codes = async () => (await mailsTo(email)).filter(({ subject }) => /code/i.test(subject))
  const known = (await codes()).length
  await ask()
  await expect.poll(async () => (await codes()).length, { timeout: 120_000 }).toBeGreaterThan(known)
  // On a separate line, unlike the digits of amounts.
  return /^\s*(\d{6})\s*$/m.exec((await codes())[0]?.text ?? '')?.[1] ?? ''
}

/** Matches a mailed link to a page of the product. */
export const linkTo = (page: string) => new RegExp(`http\\S+/${page}[#?]token=[^\\s>)]+`)
