// npm run desk: makes operators of the desk, and ends them. Nothing else can.

import os from 'node:os'
import { parseArgs } from 'node:util'
import { type DeskRole, deskRoles } from '@tern/contract/desk/roles'
import type { Operator } from '@tern/contract/desk/operators'
import {
  type Actor,
  addOperator,
  CannotManage,
  changeRoles,
  type DeskContext,
  disableByName,
  linkOperator,
  listOperators,
} from '../features/desk/desk.ts'
import { connect } from '../platform/database/db.ts'
import { messagesHere } from '../platform/messages.ts'
import { Refusal } from '../platform/refuse.ts'
import { readConfig } from '../platform/runtime/config.ts'
import { alignedColumns, type Environment, exitCodeOf, settingsOf } from './terminal.ts'

const usage = `npm run desk                                      lists operators
npm run desk -- add NAME --role ROLE …            adds one and prints the link by which they add their passkey
npm run desk -- link NAME [--replace]             prints a link for another passkey, which may replace all others
npm run desk -- roles NAME --role ROLE …          gives other roles: ${deskRoles.join(', ')}
npm run desk -- disable NAME --because "SENTENCE" ends their sessions and passkeys, for good`

type Order =
  | { readonly what: 'list' }
  | { readonly what: 'add' | 'roles'; readonly name: string; readonly roles: readonly DeskRole[] }
  | { readonly what: 'link'; readonly name: string; readonly replaces: boolean }
  | { readonly what: 'disable'; readonly name: string; readonly because: string }

const isRole = (text: string): text is DeskRole => deskRoles.some((role) => role === text)
const longestName = 60

/** What is to be done; undefined when it cannot be read. */
function readOrder(parameters: readonly string[]): Order | undefined {
  let read
  try {
    const options = {
      role: { type: 'string', multiple: true },
      replace: { type: 'boolean' },
      because: { type: 'string' },
    } as const
    read = parseArgs({ args: [...parameters], options, allowPositionals: true })
  } catch {
    return undefined
  }
  const { role: roles = [], replace: replaces = false, because } = read.values
  const [what, typed = '', ...rest] = read.positionals
  const name = typed.trim()
  if (what === undefined && parameters.length === 0) return { what: 'list' }
  if (name === '' || name.length > longestName || rest.length > 0) return undefined
  const isPlain = roles.length === 0 && because === undefined
  if (what === 'link') return isPlain ? { what, name, replaces } : undefined
  if (replaces) return undefined
  if (what === 'disable') {
    return because?.trim() && roles.length === 0 ? { what, name, because: because.trim() } : undefined
  }
  if (what !== 'add' && what !== 'roles') return undefined
  return roles.length > 0 && roles.every(isRole) && because === undefined ? { what, name, roles } : undefined
}

/** Where the desk is: as configured, or where `npm start` puts the admin port. */
function deskUrlOf(settings: Environment): string {
  const { operations, mode, publicUrl } = readConfig(settings)
  if (settings.DESK_URL || operations.admin !== undefined || mode === 'production') return operations.deskUrl
  const { port } = new URL(publicUrl)
  return `http://localhost:${Number(port || '80') + 2}` // not money: a port
}

const lineOf = ({ name, roles, passkeys, disabled_at: disabledAt, last_used_at: usedAt }: Operator): string[] => [
  name,
  roles.join(', '),
  passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`,
  disabledAt ? `disabled ${disabledAt.slice(0, 10)}` : usedAt ? `signed in ${usedAt.slice(0, 10)}` : 'never signed in',
]

async function answerTo(context: DeskContext, order: Order): Promise<string> {
  const actor: Actor = { id: null, name: `${os.userInfo().username} on the server` }
  if (order.what === 'list') {
    const operators = await listOperators(context.pool)
    return operators.length === 0 ? 'There is no operator yet.' : alignedColumns(operators.map(lineOf), 4).join('\n')
  }
  const { name } = order
  if (order.what === 'disable') {
    await disableByName(context, name, order.because, actor)
    return `${name} is disabled.`
  }
  if (order.what === 'roles') {
    await changeRoles(context, name, order.roles, actor)
    return `${name} is ${order.roles.join(', ')} now.`
  }
  const link =
    order.what === 'link' ? await linkOperator(context, name, order, actor) : await addOperator(context, order, actor)
  return `For ${name} alone, once, within 15 minutes:\n\n  ${link}`
}

/** Does what the parameters say and gives the exit code: 2 when it could not be done. */
export async function desk(
  parameters: readonly string[],
  environment: Environment,
  print: (text: string) => void,
): Promise<number> {
  const order = readOrder(parameters)
  if (!order) {
    print(usage)
    return 2
  }
  return exitCodeOf(
    print,
    (error) => error instanceof CannotManage,
    async () => {
      const settings = settingsOf(environment)
      const pool = connect(settings.DATABASE_URL, 1)
      try {
        const log = { warn: () => {}, error: () => {} }
        const context = { pool, deskUrl: deskUrlOf(settings), log, realNow: () => new Date() }
        print(await answerTo(context, order))
        return 0
      } catch (error) {
        throw error instanceof Refusal ? new CannotManage(messagesHere().refusals[error.code], { cause: error }) : error
      } finally {
        await pool.end()
      }
    },
  )
}

if (import.meta.main) process.exitCode = await desk(process.argv.slice(2), process.env, console.log)
