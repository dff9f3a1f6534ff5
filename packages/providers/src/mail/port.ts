import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'

/** Mail to one address, as text and HTML. `idempotencyKey` prevents a repeated send from arriving twice. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  idempotencyKey?: string
}

/** `refused`: this mail will never be accepted. `unknown`: it may have been sent; repeat with the same key. */
export type MailResult = { status: 'sent'; id: string } | RefusedOutcome | UnknownOutcome

export interface MailProvider {
  readonly name: string
  send(mail: Mail): Promise<MailResult>
  /** Returns a sentence for operators about a persistent problem, such as a wrong password; undefined if none. */
  check?(): Promise<string | undefined>
  close?(): void
}
