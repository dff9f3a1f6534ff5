// node write-many.ts COUNT: writes a wallet's files with so many sends, in every format for accountants, and prints their
// sizes. Run with little memory by a test.

import type { BankSource } from '@tern/server/features/statements/formats/bank/bank-file'
import { writeCamt053 } from '@tern/server/features/statements/formats/bank/camt053'
import { writeOfx } from '@tern/server/features/statements/formats/bank/ofx'
import { writeBeancount } from '@tern/server/features/statements/formats/journal/beancount'
import { writeHledger } from '@tern/server/features/statements/formats/journal/hledger'
import type { Movement } from '@tern/server/features/statements/movement'
import { toLines } from '@tern/server/features/statements/statement-lines'
import { currentRequestMessages } from '@tern/server/platform/messages'
import { exampleSend } from './movements.ts'

const count = Number(process.argv[2]) // not money: a count of movements
const startsAt = new Date('2025-01-01T00:00:00Z')
const asOf = new Date('2026-01-01T00:00:00Z')
const messages = currentRequestMessages()

async function* makeSends(): AsyncGenerator<Movement, void, undefined> {
  const stepMs = (asOf.getTime() - startsAt.getTime()) / (count + 1)
  let balance = 1010n * BigInt(count)
  for (let number = 1; number <= count; number += 1) {
    balance -= 1010n
    const at = new Date(startsAt.getTime() + number * stepMs).toISOString()
    yield await Promise.resolve(exampleSend({ number, at, balance }))
  }
}

async function* makeLines() {
  for await (const movement of makeSends()) yield* toLines({ movement, currency: 'USD', asOf })
}

const opening = 1010n * BigInt(count)
const buildBankSource = (): BankSource => ({
  walletId: '0190a5c0-0000-7000-8000-0123456789ab',
  holder: 'Anna',
  issuer: 'Tern',
  period: { from: '2025-01-01', to: '2025-12-31', timeZone: 'Europe/Paris', startsAt, asOf, isFinal: true },
  messages,
  accounts: [{ currency: 'USD', opening, closing: 0n, lines: makeLines() }],
})
const buildJournalSource = () => ({
  from: startsAt,
  until: asOf,
  timeZone: 'Europe/Paris',
  messages,
  opening: [{ part: 'available', currency: 'USD', balance: opening }] as const,
  movements: makeSends(),
})

const sizes: Record<string, number> = {}
for (const [format, texts] of [
  ['camt053', writeCamt053(buildBankSource())],
  ['ofx', writeOfx(buildBankSource())],
  ['hledger', writeHledger(buildJournalSource())],
  ['beancount', writeBeancount(buildJournalSource())],
] as const) {
  let size = 0
  for await (const text of texts) size += text.length
  sizes[format] = size
}
console.log(JSON.stringify(sizes))
