// A client of the operators' desk, which enrols and signs in with a passkey in software.

import type { TestAuthenticator } from './identity/authenticator.ts'

// Untyped, because the shape of the body is what tests check.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any
export interface DeskAnswer {
  readonly status: number
  readonly body: Body
}

/** Returns a client of the desk at `origin`. */
export function createDeskCaller(origin: string) {
  async function call(
    method: string,
    path: string,
    { cookie, body, headers }: { cookie?: string | undefined; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<DeskAnswer & { readonly response: Response }> {
    const response = await fetch(`${origin}/desk/api${path}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { origin }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === undefined ? {} : { cookie }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), response }
  }

  const readToken = (output: string): string => /#([\w-]{43})/.exec(output)?.[1] ?? ''

  async function enrol(token: string, authenticator: TestAuthenticator): Promise<DeskAnswer> {
    const started = await call('POST', '/enrolment/options', { body: { token } })
    if (started.status !== 200) return started
    const { ceremony, options } = started.body
    return call('POST', '/enrolment', { body: { token, ceremony, response: authenticator.create(options) } })
  }

  async function signIn(authenticator: TestAuthenticator): Promise<DeskAnswer & { cookie: string }> {
    const { ceremony, options } = (await call('POST', '/session/options')).body
    const response = await call('POST', '/session', { body: { ceremony, response: authenticator.get(options) } })
    return { ...response, cookie: response.response.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }

  return { call, readToken, enrol, signIn }
}
