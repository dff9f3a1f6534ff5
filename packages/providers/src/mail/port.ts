import type { Refused, Unknown } from '../outcome.ts'

/** One mail to one address, in both forms. `idempotencyKey` keeps a repeated send from arriving twice. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  idempotencyKey?: string
}

/** `refused`: this mail will never be taken. `unknown`: it may or may not have left; send again with the same key. */
export type MailResult = { status: 'sent'; id: string } | Refused | Unknown

export interface MailProvider {
  readonly name: string
  send(mail: Mail): Promise<MailResult>
  /** What keeps it from working, such as a wrong password, in a sentence for operators; undefined when nothing does. */
  check?(): Promise<string | undefined>
  /** Ends its connections. */
  close?(): void
}
