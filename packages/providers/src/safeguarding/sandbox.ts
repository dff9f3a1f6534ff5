import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { readList, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { AccountStatement, BankEntry, SafeguardingBank } from './port.ts'

/** Safeguarding banks of the sandbox. */
export const sandboxBanks = ['anchorage', 'breakwater'] as const

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

function readMinor(body: unknown, name: string, currency: CurrencyCode): Money | undefined {
  const text = readText(body, name) ?? ''
  return /^-?\d{1,38}$/.test(text) ? money(currency, BigInt(text)) : undefined
}

function readEntry(body: unknown, currency: CurrencyCode): BankEntry | undefined {
  const id = readText(body, 'id')
  const amount = readMinor(body, 'amount_minor', currency)
  const [bookedOn = '', valueOn = ''] = [readText(body, 'booked_on'), readText(body, 'value_on')]
  if (!id || !amount || amount.minor === 0n || !dayPattern.test(bookedOn) || !dayPattern.test(valueOn)) return undefined
  return { id, amount, reference: readText(body, 'reference') ?? null, bookedOn, valueOn }
}

/** Parses the statement of one account; undefined unless all of it is readable. */
function readAccount(body: unknown): AccountStatement | undefined {
  const currency = readText(body, 'currency') ?? ''
  if (!isCurrencyCode(currency)) return undefined
  const opening = readMinor(body, 'opening_minor', currency)
  const closing = readMinor(body, 'closing_minor', currency)
  const entries = readList(body, 'entries')?.map((entry) => readEntry(entry, currency))
  if (!opening || !closing || !entries?.every((entry) => entry !== undefined)) return undefined
  return { opening, closing, entries }
}

export function createSandboxSafeguardingBank(
  connection: SandboxConnection,
  name: (typeof sandboxBanks)[number],
): SafeguardingBank {
  const http = createSandboxHttp(connection)
  return {
    name,
    async statement(day) {
      const found = await http.find(`/api/safeguarding/${name}/statements/${day}`, 'a statement', (body) => {
        const accounts = readList(body, 'accounts')?.map(readAccount)
        const isWhole = readText(body, 'day') === day && accounts?.every((account) => account !== undefined)
        return isWhole ? ({ status: 'known', accounts } as const) : undefined
      })
      return found.status === 'not_found' ? { status: 'missing' } : found
    },
    transfer: ({ id, amount: { currency, minor } }) =>
      http.order(
        `/api/safeguarding/${name}/transfers`,
        { id, currency, amount_minor: minor.toString() },
        'a transfer',
        (body) => (readText(body, 'reference') === id ? ({ status: 'accepted' } as const) : undefined),
      ),
  }
}
