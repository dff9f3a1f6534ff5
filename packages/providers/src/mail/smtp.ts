import nodemailer from 'nodemailer'
import type { MailProvider, MailResult } from './port.ts'
import { createSmtpSetup } from './smtp-setup.ts'

export interface SmtpOptions {
  /** `smtps://user:password@host:port` for implicit TLS, `smtp://…` for STARTTLS. */
  readonly url: string
  /** Sender: an address, or `Name <address>`. */
  readonly from: string
  /** Total time limit for one mail, in milliseconds. */
  readonly timeoutMs?: number
}

const connections = 4
const addressPattern = /^[^\s@<>()[\],;:"\\\p{Cc}]+@[^\s@<>()[\],;:"\\\p{Cc}]+$/u
/** Commands whose refusal concerns the mail itself. MAIL FROM is not one: its sender is the same for every mail. */
const recipientCommands = new Set(['RCPT TO', 'DATA'])
/** Reply codes that concern our account, whatever the command: missing or weak authentication (RFC 4954, section 6). */
const senderErrorCodes = new Set([530, 534, 535, 538])

interface SmtpError {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
  readonly permanent?: boolean
}

/**
 * Sends mails through an SMTP server. Requires TLS with a valid certificate unless the server is on this machine. The
 * same idempotency key gives the same Message-ID, by which servers and mail programs recognise a repeated mail. Reasons
 * contain reply codes, never the server's text, which may quote the mail.
 */
export function createSmtpMailProvider({ url, from, timeoutMs = 30_000 }: SmtpOptions): Required<MailProvider> {
  const { protocol, host, hostname, port, username, password } = new URL(url)
  const isLoopbackHost = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const secure = protocol === 'smtps:'
  const transport = nodemailer.createTransport({
    pool: true,
    maxConnections: connections,
    host: hostname.replaceAll(/[[\]]/g, ''),
    // not money: a port
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isLoopbackHost,
    // Local traffic needs no certificate.
    tls: { rejectUnauthorized: !isLoopbackHost },
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    dnsTimeout: Math.min(10_000, timeoutMs),
    connectionTimeout: Math.min(10_000, timeoutMs),
    greetingTimeout: Math.min(10_000, timeoutMs),
    socketTimeout: timeoutMs,
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const check = async (): Promise<string | undefined> => {
    try {
      await transport.verify()
      return undefined
    } catch (error) {
      const { code, responseCode } = error as SmtpError
      return code === 'EAUTH'
        ? `The mail server does not accept the user and password in SMTP_URL (${responseCode ?? code})`
        : `The mail server in SMTP_URL does not answer (${code ?? 'no code'})`
    }
  }
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? hostname

  return {
    name: 'smtp',
    async send({ to, subject, text, html, idempotencyKey }): Promise<MailResult> {
      if (!addressPattern.test(to)) return { status: 'refused', reason: 'This is no mail address' }
      try {
        const { messageId } = await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject: subject.replaceAll(/\p{Cc}+/gu, ' '),
          text,
          html,
          ...(idempotencyKey === undefined ? {} : { messageId: `<${idempotencyKey}@${domain}>` }),
          // Suppresses out-of-office replies (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(timeoutMs),
        })
        return { status: 'sent', id: messageId }
      } catch (error) {
        return toMailFailure(error as SmtpError)
      }
    },
    check,
    setup: createSmtpSetup({ host: `${protocol}//${host}`, hasLogin: username !== '', check }),
    close: () => transport.close(),
  }
}

function toMailFailure({ code, command, response, responseCode, permanent }: SmtpError): MailResult {
  if (code === 'EAUTH') {
    const reason = `The mail server does not accept the user and password in SMTP_URL (${responseCode ?? code})`
    return { status: 'unknown', reason, fault: 'configuration' }
  }
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
  const reply = [responseCode, enhanced].filter((part) => part !== undefined).join(' ')
  const reason =
    reply === ''
      ? `No answer from the mail server (${code ?? 'no code'})`
      : `The mail server answered ${reply} to ${command}`
  const isRecipientError = recipientCommands.has(command ?? '') && !senderErrorCodes.has(responseCode ?? 0)
  return { status: permanent === true && isRecipientError ? 'refused' : 'unknown', reason }
}
