import { fault, ok, type ProviderSetup } from '../setup.ts'

interface SmtpLogin {
  readonly host: string
  readonly hasLogin: boolean
  /** Connects, starts TLS and logs in; returns a sentence about what failed. */
  readonly check: () => Promise<string | undefined>
}

/** Checks the connection, TLS and login of a mail server without sending a mail. */
export const createSmtpSetup = ({ host, hasLogin, check }: SmtpLogin): ProviderSetup => ({
  topics: [{ name: 'login', tried: `Connects to ${host} and logs in, without sending a mail.` }],
  async check() {
    const problem = await check()
    if (problem !== undefined) {
      return [fault(`${problem}.`, 'Correct SMTP_URL, or the mail server: until then no mail is sent.')]
    }
    return [ok(hasLogin ? 'The server accepts the user and password.' : 'The server answers; SMTP_URL has no user.')]
  },
})
