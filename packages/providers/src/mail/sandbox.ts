import { readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection, unreadable } from '../sandbox-http.ts'
import type { MailProvider } from './port.ts'

/** Puts mails into the sandbox's mailbox, where its page shows them. */
export function createSandboxMail(connection: SandboxConnection): MailProvider {
  const http = createSandboxHttp(connection)
  return {
    name: 'sandbox',
    async send({ to, subject, text, html, idempotencyKey }) {
      const answer = await http.request('POST', '/api/mail', { body: { to, subject, text, html }, idempotencyKey })
      if (answer.status === 'refused') return { status: 'refused', reason: answer.message }
      if (answer.status === 'unknown') return answer
      const id = readText(answer.body, 'id')
      return id === undefined ? unreadable('a mail') : { status: 'sent', id }
    },
  }
}
