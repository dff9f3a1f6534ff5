// Journals of all wallets, read back by hledger and Beancount and compared with the ledger.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { writeBeancount } from '@tern/server/features/statements/formats/journal/beancount'
import { writeHledger } from '@tern/server/features/statements/formats/journal/hledger'
import { readMovements, readOpening } from '@tern/server/features/statements/read-movements'
import { currentRequestMessages } from '@tern/server/platform/messages'
import type pg from 'pg'
import { collectText } from './movements.ts'

const run = promisify(execFile)
const options = { env: { ...process.env, LC_ALL: 'C.UTF-8' }, maxBuffer: 1 << 28 }

interface JournalWallet {
  readonly id: string
  readonly userId: bigint
  readonly since: Date
}

/** Returns whether a program is installed. Throws on the hosted workflow if it is not. */
export async function isInstalled(...program: [string, ...string[]]): Promise<boolean> {
  const [name, ...args] = program
  try {
    await run(name, args)
    return true
  } catch (error) {
    if (process.env.CI) throw error
    return false
  }
}

async function readJournalWallets(pool: pg.Pool): Promise<JournalWallet[]> {
  const { rows } = await pool.query<JournalWallet>(
    `select w.id, w.user_id as "userId", min(e.created_at) as since
       from wallet w join ledger.account a on a.name like '%:' || w.id || ':%' and a.kind in ('wallet', 'hold')
       join ledger.entry e on e.account_id = a.id
      group by w.id order by w.user_id`,
  )
  return rows
}

/** Writes a wallet's journal of a period in UTC. */
async function writeJournal(
  pool: pg.Pool,
  write: typeof writeHledger,
  { wallet, from, until }: { readonly wallet: JournalWallet; readonly from: Date; readonly until: Date },
): Promise<string> {
  const opening = await readOpening(pool, { wallet, at: from })
  const movements = readMovements(pool, { wallet, from, until })
  const messages = currentRequestMessages()
  return collectText(write({ from, until, timeZone: 'UTC', messages, opening, movements }))
}

/**
 * Exports the journals of all wallets in hledger's and Beancount's formats, lets these programs check them and compute
 * the balance of every account at the end of every month, and returns differences from the ledger as sentences.
 */
export async function findJournalFaults(pool: pg.Pool) {
  const folder = await mkdtemp(path.join(tmpdir(), 'tern-journals-'))
  try {
    const wallets = await readJournalWallets(pool)
    const { rows } = await pool.query<{ last: Date }>('select max(created_at) as last from ledger.entry')
    const until = new Date((rows[0]?.last.getTime() ?? 0) + 1)
    const expected = await readMonthEnds(pool, wallets)
    const hledgerFile = path.join(folder, 'all.journal')
    const beancountFile = path.join(folder, 'all.beancount')
    const journals: string[] = []
    const ledgers: string[] = []
    for (const [index, wallet] of wallets.entries()) {
      const period = { wallet, from: wallet.since, until }
      const text = await writeJournal(pool, writeHledger, period)
      journals.push(`apply account W${String(index)}\n${text}\nend apply account\n`)
      ledgers.push(prefixAccounts(await writeJournal(pool, writeBeancount, period), `W${String(index)}`))
    }
    await writeFile(hledgerFile, journals.join('\n'))
    await writeFile(beancountFile, ledgers.join('\n'))
    const faults = [
      ...compare('hledger', expected, await readHledger(hledgerFile)),
      ...compare('beancount', expected, await readBeancount(beancountFile)),
    ]
    return { faults, wallets: wallets.length, balances: expected.size }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Puts a wallet's name into its accounts, so that one file can contain several wallets. */
const prefixAccounts = (text: string, name: string): string =>
  text.replaceAll(/^((?: {2}|\d{4}-\d\d-\d\d (?:open|balance) )(?:Assets|Equity|Expenses|Income)):/gm, `$1:${name}:`)

/** Balances by wallet, account and month, without zeros. */
type MonthEnds = ReadonlyMap<string, string>

async function readMonthEnds(pool: pg.Pool, wallets: readonly JournalWallet[]): Promise<MonthEnds> {
  const { rows } = await pool.query<{
    wallet: string
    kind: 'wallet' | 'hold'
    currency: CurrencyCode
    month: string
    balance: bigint
  }>(
    `with dated as (
       select split_part(a.name, ':', 2) as wallet, a.kind, a.currency, e.version, e.balance,
           to_char(max(e.created_at) over (partition by a.id order by e.version) at time zone 'UTC', 'YYYY-MM') as month
         from ledger.entry e join ledger.account a on a.id = e.account_id and a.kind in ('wallet', 'hold'))
     select distinct on (wallet, kind, currency, month) wallet, kind, currency, month, balance
       from dated order by wallet, kind, currency, month, version desc`,
  )
  const indexes = new Map(wallets.map(({ id }, index) => [id, index]))
  return new Map(
    rows.map(({ wallet, kind, currency, month, balance }) => [
      `W${String(indexes.get(wallet))} ${currency} ${kind === 'wallet' ? 'Available' : 'On-hold'} ${month}`,
      toDecimal(money(currency, balance)),
    ]),
  )
}

/** Differences at the months in which the ledger has entries. */
const compare = (program: string, expected: MonthEnds, actual: MonthEnds): string[] =>
  [...expected].flatMap(([key, balance]) => {
    const found = actual.get(key) ?? '0'
    return isSame(balance, found) ? [] : [`${program} has ${found} instead of ${balance} for ${key}`]
  })

const isSame = (a: string, b: string): boolean => trimZeros(a) === trimZeros(b)

const trimZeros = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal)

/** Splits a line of quoted cells. */
const splitCells = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"]|"")*)"|([^",\r\n]+)/g)].map(([, a, b]) => a ?? b ?? '')

async function readHledger(file: string): Promise<MonthEnds> {
  await run('hledger', ['-f', file, 'check', '--strict'], options)
  const args = ['-f', file, 'balance', '--monthly', '--historical', '-E', '-N', '-O', 'csv', 'Assets']
  const { stdout } = await run('hledger', args, options)
  const [head = '', ...lines] = stdout.trim().split('\n')
  const months = splitCells(head).slice(1)
  const balances = new Map<string, string>()
  for (const line of lines) {
    const [account = '', ...amounts] = splitCells(line)
    const [wallet = '', , , currency = '', part = ''] = account.split(':')
    for (const [index, month] of months.entries()) {
      balances.set(`${wallet} ${currency} ${part} ${month.slice(0, 7)}`, amounts[index]?.split(' ')[0] ?? '')
    }
  }
  return balances
}

async function readBeancount(file: string): Promise<MonthEnds> {
  await run('bean-check', [file], options)
  const query = `select account, year, month, sum(units(position)) as change where account ~ '^Assets:' group by 1, 2, 3 order by 1, 2, 3`
  const { stdout } = await run('bean-query', ['-f', 'csv', file, query], options)
  const balances = new Map<string, string>()
  const running = new Map<string, bigint>()
  for (const line of stdout.trim().split(/\r?\n/).slice(1)) {
    const [account = '', year = '', month = '', change = ''] = line.split(',').map((cell) => cell.trim())
    const [, wallet = '', , currency = '', part = ''] = account.split(':')
    const key = `${wallet} ${currency} ${part}`
    const sum = (running.get(key) ?? 0n) + parseExact(change.split(' ')[0] ?? '')
    running.set(key, sum)
    balances.set(`${key} ${year}-${month.padStart(2, '0')}`, formatExact(sum))
  }
  return balances
}

const places = 18

function parseExact(decimal: string): bigint {
  const [, sign = '', integer = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  if (decimal === '') return 0n
  if (integer === '') throw new Error(`not a decimal: ${decimal}`)
  return BigInt(`${sign}${integer}${fraction.padEnd(places, '0')}`)
}

const formatExact = (value: bigint): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}
