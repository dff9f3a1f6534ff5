import os from 'node:os'
import type pg from 'pg'
import { type DeskRole, deskRoles } from '@tern/contract/desk/roles'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import type { Operator } from '@tern/contract/desk/operators'
import {
  type Actor,
  addOperator,
  OperatorAccountError,
  changeRoles,
  type DeskContext,
  disableByName,
  linkAccounts,
  linkOperator,
  listOperators,
  readOwnAccounts,
  unlinkAccount,
} from '../features/desk/desk.ts'
import { connect } from '../platform/database/db.ts'
import { currentRequestMessages } from '../platform/messages.ts'
import { Refusal } from '../platform/refuse.ts'
import { readConfig } from '../platform/runtime/config.ts'
import type { Environment } from '../platform/runtime/settings.ts'
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { completeSettings } from './with-product.ts'

type CommandOrder =
  | { readonly what: 'list' }
  | {
      readonly what: 'add'
      readonly name: string
      readonly roles: readonly DeskRole[]
      readonly accounts: readonly string[]
    }
  | { readonly what: 'roles'; readonly name: string; readonly roles: readonly DeskRole[] }
  | { readonly what: 'link-account'; readonly name: string; readonly accounts: readonly string[] }
  | { readonly what: 'unlink-account'; readonly name: string; readonly account: string; readonly because: string }
  | { readonly what: 'link'; readonly name: string; readonly replaces: boolean }
  | { readonly what: 'disable'; readonly name: string; readonly because: string }

const isRole = (text: string): text is DeskRole => deskRoles.some((role) => role === text)
const longestName = 60

const options = {
  role: { type: 'string', multiple: true },
  account: { type: 'string', multiple: true },
  'no-account': { type: 'boolean' },
  replace: { type: 'boolean' },
  because: { type: 'string' },
} as const
const parseAll = (parameters: readonly string[]) => parse({ args: [...parameters], options, allowPositionals: true })

/** Parses the parameters. Returns undefined or throws UsageError when they are invalid. */
function readOrder(parameters: readonly string[]): CommandOrder | undefined {
  const { values, positionals } = parseAll(parameters)
  const [subcommand, typedName = '', ...rest] = positionals
  const name = visibleText(typedName)
  if (subcommand === undefined && parameters.length === 0) return { what: 'list' }
  if (name === '' || name.length > longestName || rest.length > 0) return undefined
  return parseOperatorOrder(name, subcommand, values)
}

/** Returns an order about one operator; undefined if an option is missing or belongs to another order. */
function parseOperatorOrder(
  name: string,
  what: string | undefined,
  values: ReturnType<typeof parseAll>['values'],
): CommandOrder | undefined {
  const { role: roles = [], account: accounts = [], replace: replaces = false } = values
  const because = values.because?.trim() ?? ''
  const hasOnly = (...names: (keyof typeof options)[]) =>
    Object.keys(values).every((flag) => names.some((flagName) => flagName === flag))
  const hasRoles = roles.length > 0 && roles.every(isRole)
  switch (what) {
    case 'add': {
      // Exactly one of the two options is required.
      const hasAccountChoice = accounts.length > 0 !== (values['no-account'] === true)
      return hasOnly('role', 'account', 'no-account') && hasRoles && hasAccountChoice
        ? { what, name, roles, accounts }
        : undefined
    }
    case 'roles':
      return hasOnly('role') && hasRoles ? { what, name, roles } : undefined
    case 'link':
      return hasOnly('replace') ? { what, name, replaces } : undefined
    case 'link-account':
      return hasOnly('account') && accounts.length > 0 ? { what, name, accounts } : undefined
    case 'unlink-account': {
      const [account] = accounts
      const isComplete = account !== undefined && accounts.length === 1 && because !== ''
      return hasOnly('account', 'because') && isComplete ? { what, name, account, because } : undefined
    }
    case 'disable':
      return hasOnly('because') && because !== '' ? { what, name, because } : undefined
    case undefined:
    default:
      return undefined
  }
}

/** Returns the address of the desk: the configured one, or the admin port of `npm start`. */
function buildDeskUrl(settings: Environment): string {
  const { operations, mode, publicUrl } = readConfig(settings)
  if (settings.DESK_URL || operations.admin !== undefined || mode === 'production') return operations.deskUrl
  const { port } = new URL(publicUrl)
  return `http://localhost:${Number(port || '80') + 2}` // not money: a port
}

type OwnAccounts = Awaited<ReturnType<typeof readOwnAccounts>>

const formatLine = (
  { id, name, roles, passkeys, disabled_at: disabledAt, last_used_at: usedAt }: Operator,
  ownAccounts: OwnAccounts,
): string[] => [
  name,
  roles.join(', '),
  passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`,
  disabledAt ? `disabled ${disabledAt.slice(0, 10)}` : usedAt ? `logged in ${usedAt.slice(0, 10)}` : 'never logged in',
  ownAccounts.has(id) ? `own account ${ownAccounts.get(id)?.join(', ')}` : 'no account',
]

async function runOrder(context: DeskContext, pool: pg.Pool, order: CommandOrder): Promise<string> {
  const actor: Actor = { id: null, name: `${os.userInfo().username} on the server` }
  if (order.what === 'list') {
    const operators = await listOperators(pool)
    if (operators.length === 0) return 'There are no operators yet.'
    const ownAccounts = await readOwnAccounts(pool)
    const lines = operators.map((operator) => formatLine(operator, ownAccounts))
    return alignedColumns(lines, 5).join('\n')
  }
  const { name } = order
  if (order.what === 'disable') {
    await disableByName(context, pool, { name, reason: order.because, actor })
    return `${name} is disabled.`
  }
  if (order.what === 'roles') {
    await changeRoles(context, pool, { name, roles: order.roles, actor })
    return `Roles of ${name}: ${order.roles.join(', ')}.`
  }
  if (order.what === 'link-account') {
    await linkAccounts(context, pool, { name, accounts: order.accounts, actor })
    return `${name} can no longer decide about anything that concerns ${order.accounts.join(', ')}.`
  }
  if (order.what === 'unlink-account') {
    await unlinkAccount(context, pool, { ...order, actor })
    return `${order.account} is no longer linked to ${name}.`
  }
  const link =
    order.what === 'link'
      ? await linkOperator(context, pool, { ...order, actor })
      : await addOperator(context, pool, { ...order, actor })
  return `For ${name} only. It works once, for 15 minutes:\n\n  ${link}`
}

export const run: RunCommand = async ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  if (!order) throw new UsageError()
  const settings = completeSettings(environment)
  const pool = connect(settings.DATABASE_URL, 1)
  try {
    const log = { warn: () => {}, error: () => {} }
    const context = { deskUrl: buildDeskUrl(settings), log, realNow: () => new Date() }
    print(await runOrder(context, pool, order))
    return 0
  } catch (error) {
    throw error instanceof Refusal
      ? new OperatorAccountError(currentRequestMessages().refusals[error.code], { cause: error })
      : error
  } finally {
    await pool.end()
  }
}
