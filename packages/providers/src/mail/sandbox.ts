import { readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { MailProvider } from './port.ts'

/** Delivers mails to the sandbox's mailbox, which its page displays. */
export function createSandboxMailProvider(connection: SandboxConnection): MailProvider {
  const http = createSandboxHttp(connection)
  return {
    name: 'sandbox',
    send: ({ to, subject, text, html, idempotencyKey }) =>
      http.order('/api/mail', { to, subject, text, html, idempotencyKey }, 'a mail', (body) => {
        const id = readText(body, 'id')
        return id === undefined ? undefined : { status: 'sent', id }
      }),
  }
}
