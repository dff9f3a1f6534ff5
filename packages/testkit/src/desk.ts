// For tests: operators of the desk, who enrol with the command's link and a passkey, and sign in on the admin port.

import { randomBytes } from 'node:crypto'
import type { DeskRole } from '@tern/contract/desk/roles'
import { escalateOverdueItems } from '@tern/server/features/desk/decisions/escalate-overdue-items'
import { createTestAuthenticator, type TestAuthenticator } from './identity/authenticator.ts'
import { callTern, ternEnvironment } from './processes/call-tern.ts'
import { choosePort, startTestApp, type TestApp } from './app.ts'
import { createDeskCaller, type DeskAnswer } from './desk-caller.ts'

export { createTestAuthenticator }
export type { DeskAnswer } from './desk-caller.ts'
export type { AuthenticatorFaults } from './identity/authenticator.ts'

export interface TestOperator {
  readonly name: string
  readonly authenticator: TestAuthenticator
  readonly cookie: string
  call(method: string, path: string, body?: unknown): Promise<DeskAnswer>
}

type Options = NonNullable<Parameters<typeof startTestApp>[0]>

/** Starts a product with an admin port; returns a client of its desk. */
export async function startTestDesk(options: Options = {}) {
  const port = await choosePort()
  const world = await startTestApp({ ...options, environment: { ADMIN_PORT: String(port), ...options.environment } })
  const { product } = world.app
  return { world, ...createDeskClient(world, port), passDeadlines: () => escalateOverdueItems(product, product.pool) }
}

export type TestDesk = Awaited<ReturnType<typeof startTestDesk>>

export function createDeskClient(
  world: Pick<TestApp, 'database' | 'sandboxUrl' | 'sandboxSecret' | 'secret'>,
  port: number,
) {
  const origin = `http://localhost:${port}`
  const { call, readToken, enrol, signIn } = createDeskCaller(origin)

  async function command(...parameters: string[]): Promise<[number, string]> {
    const deskEnvironment = { DATABASE_URL: world.database.applicationUrl, ADMIN_PORT: String(port) }
    const { code, text } = await callTern({ ...ternEnvironment(world), ...deskEnvironment }, 'desk', ...parameters)
    return [code, text]
  }

  /** Adds, enrols and signs in an operator with these roles. */
  async function createOperator(...roles: DeskRole[]): Promise<TestOperator> {
    const name = `${roles[0]} ${randomBytes(3).toString('hex')}`
    const [code, output] = await command('add', name, ...roles.flatMap((role) => ['--role', role]), '--no-account')
    if (code !== 0) throw new Error(output)
    const authenticator = createTestAuthenticator(origin)
    const { status, body } = await enrol(readToken(output), authenticator)
    if (status !== 204) throw new Error(`the passkey of ${name} was refused: ${JSON.stringify(body)}`)
    const { cookie } = await signIn(authenticator)
    return {
      ...{ name, authenticator, cookie },
      call: (method, path, body) => call(method, path, { cookie, body }),
    }
  }

  return { origin, call, command, readToken, enrol, signIn, createOperator }
}
