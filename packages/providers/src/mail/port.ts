import type { ProviderSetup } from '../setup.ts'
import type { RefusedOutcome, UnknownOutcome } from '../outcome.ts'

/** Mail to one address, as text and HTML. `idempotencyKey` makes a repeated send recognizable as the same mail. */
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
  /** Checks our account there, for `npx tern doctor`. */
  readonly setup?: ProviderSetup
  readonly name: string
  send(mail: Mail): Promise<MailResult>
  /** Returns a sentence for operators if the server is unreachable or rejects our password; undefined otherwise. */
  check?(): Promise<string | undefined>
  close?(): void
}
