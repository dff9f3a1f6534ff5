import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { readAmount } from '../collect/sandbox-card.ts'
import { readDate, readList, readText } from '../json.ts'
import type { UnknownOutcome } from '../outcome.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import {
  type BalanceName,
  balanceNames,
  isIncoming,
  type LineKind,
  type OwnKind,
  ownKinds,
  type OwnLine,
  type ProviderBalance,
  type ReportLine,
  type ReportProvider,
} from './port.ts'

const isLineKind = (text: string): text is LineKind => Object.hasOwn(isIncoming, text)
const readOwnKind = (text: string | undefined): OwnKind => ownKinds.find((kind) => kind === text) ?? 'unknown'
const readBalanceName = (body: unknown): BalanceName | undefined =>
  balanceNames.find((name) => name === readText(body, 'balance'))

/** Parses one line of the sandbox's books; undefined if unreadable. */
export function readLine(body: unknown): ReportLine | undefined {
  const id = readText(body, 'id')
  const kind = readText(body, 'kind') ?? ''
  const amount = readAmount(body)
  const occurredAt = readDate(body, 'occurred_at')
  if (!id || !isLineKind(kind) || !amount || !occurredAt) return undefined
  const undoes = readText(body, 'undoes')
  const line = { id, kind, amount, reference: readText(body, 'reference') ?? null, occurredAt }
  return undoes === undefined ? line : { ...line, undoes }
}

function readSignedAmount(body: unknown): Money | undefined {
  const text = readText(body, 'amount_minor') ?? ''
  const currency = readText(body, 'currency') ?? ''
  return /^-?\d{1,38}$/.test(text) && isCurrencyCode(currency) ? money(currency, BigInt(text)) : undefined
}

function readOwnLine(body: unknown): OwnLine | undefined {
  const id = readText(body, 'id')
  const balance = readBalanceName(body)
  const amount = readSignedAmount(body)
  const occurredAt = readDate(body, 'occurred_at')
  if (!id || !balance || !amount || amount.minor === 0n || !occurredAt) return undefined
  return { id, kind: readOwnKind(readText(body, 'kind')), balance, amount, occurredAt }
}

function readBalance(body: unknown): ProviderBalance | undefined {
  const balance = readBalanceName(body)
  const amount = readSignedAmount(body)
  return balance && amount && { balance, amount }
}

/** Parses a list whose items must all be readable. */
function readAll<Item>(body: unknown, name: string, read: (item: unknown) => Item | undefined): Item[] | undefined {
  const items = readList(body, name)?.map(read)
  return items?.every((item) => item !== undefined) ? items : undefined
}

/** The sandbox's books: two lists in pages, and the balances. */
export function createSandboxReportProvider(connection: SandboxConnection): ReportProvider {
  const http = createSandboxHttp(connection)

  async function readPages<Line>(
    path: string,
    { from, until }: { readonly from: Date; readonly until: Date },
    read: (item: unknown) => Line | undefined,
  ): Promise<{ status: 'known'; lines: Line[] } | UnknownOutcome> {
    interface Page {
      readonly status: 'known'
      readonly found: Line[]
      readonly next: string | undefined
    }
    const lines: Line[] = []
    for (let after: string | undefined = ''; after !== undefined;) {
      const query = new URLSearchParams({ from: from.toISOString(), until: until.toISOString(), after })
      const page = await http.ask<Page>(['GET', `${path}?${query.toString()}`], 'its books', (body) => {
        const found = readAll(body, 'lines', read)
        return found && { status: 'known', found, next: readText(body, 'next') }
      })
      if (page.status === 'unknown') return page
      lines.push(...page.found)
      after = page.next
    }
    return { status: 'known', lines }
  }

  return {
    async lines(from, until) {
      const lines = await readPages('/api/report/lines', { from, until }, readLine)
      if (lines.status === 'unknown') return lines
      const own = await readPages('/api/report/own', { from, until }, readOwnLine)
      if (own.status === 'unknown') return own
      return { status: 'known', lines: lines.lines, own: own.lines, pending: [] }
    },
    balances: () =>
      http.ask(['GET', '/api/report/balances'], 'its balances', (body) => {
        const balances = readAll(body, 'balances', readBalance)
        return balances && { status: 'known', balances }
      }),
  }
}
