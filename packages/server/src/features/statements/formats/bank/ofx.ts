import type { StatementLineKind } from '@tern/contract/statements'
import { money, toDecimal } from '@tern/money/money'
import { inverse } from '@tern/money/ratio'
import { cutText, toPlainText } from '../plain-text.ts'
import type { LineFacts } from '../../statement-lines.ts'
import {
  type BankAccount,
  type BankSource,
  compactId,
  describeLine,
  element,
  findExchange,
  formatRate,
  lineReference,
  transactionReference,
} from './bank-file.ts'

/** Transaction types; other kinds are CREDIT or DEBIT. */
const types: Partial<Record<StatementLineKind, string>> = {
  deposit: 'DEP',
  fee: 'FEE',
  sent: 'PAYMENT',
  exchanged_in: 'XFER',
  exchanged_out: 'XFER',
  put_on_hold: 'XFER',
  released_from_hold: 'XFER',
}

const isFine = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>'

/** Formats an instant like 20261130065433.000[0:GMT]. */
const formatInstant = (at: Date): string => `${at.toISOString().replaceAll(/[-:T]|Z$/g, '')}[0:GMT]`

/** Writes Open Financial Exchange 2.2. */
export async function* writeOfx(source: BankSource): AsyncGenerator<string, void, undefined> {
  const { period, issuer, accounts } = source
  yield '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
  yield '<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n'
  yield [
    `<OFX><SIGNONMSGSRSV1><SONRS>${isFine}<DTSERVER>${formatInstant(period.asOf)}</DTSERVER>`,
    '<LANGUAGE>ENG</LANGUAGE>',
    `<FI>${element('ORG', cutText(issuer, 32))}</FI></SONRS></SIGNONMSGSRSV1>\n<BANKMSGSRSV1>\n`,
  ].join('')
  for (const account of accounts) yield* writeStatement(source, account)
  yield '</BANKMSGSRSV1></OFX>\n'
}

async function* writeStatement({ walletId, period, messages }: BankSource, account: BankAccount) {
  const { currency, closing, lines } = account
  // At most 22 characters.
  const accountId = `${currency}-${compactId(walletId).slice(-18)}`
  yield [
    `<STMTTRNRS><TRNUID>${compactId(walletId)}-${currency}</TRNUID>${isFine}`,
    `<STMTRS><CURDEF>${currency}</CURDEF><BANKACCTFROM><BANKID>TERN</BANKID><ACCTID>${accountId}</ACCTID>`,
    '<ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\n<BANKTRANLIST>',
    `<DTSTART>${formatInstant(period.startsAt)}</DTSTART><DTEND>${formatInstant(period.asOf)}</DTEND>\n`,
  ].join('')
  for await (const line of lines) yield writeTransaction(line, currency, messages)
  yield [
    `</BANKTRANLIST>\n<LEDGERBAL><BALAMT>${toDecimal(money(currency, closing))}</BALAMT>`,
    `<DTASOF>${formatInstant(period.asOf)}</DTASOF></LEDGERBAL></STMTRS></STMTTRNRS>\n`,
  ].join('')
}

function writeTransaction(
  line: LineFacts,
  currency: BankAccount['currency'],
  messages: BankSource['messages'],
): string {
  const { at, kind, amount, counterparty } = line
  const reference = transactionReference(line)
  const note = describeLine(line, messages)
  const isFee = kind === 'fee' || kind === 'fee_returned'
  const name = (!isFee && (counterparty?.name ?? counterparty?.username)) || note || kind
  return [
    `<STMTTRN><TRNTYPE>${types[kind] ?? (amount < 0n ? 'DEBIT' : 'CREDIT')}</TRNTYPE>`,
    `<DTPOSTED>${formatInstant(at)}</DTPOSTED><TRNAMT>${toDecimal(money(currency, amount))}</TRNAMT>`,
    `<FITID>${lineReference(line)}</FITID>`,
    reference === undefined ? '' : `<REFNUM>${reference}</REFNUM>`,
    element('NAME', cutText(toPlainText(name), 32)) || `<NAME>${kind}</NAME>`,
    element('MEMO', cutText(toPlainText(isFee ? kind : note), 255)),
    writeOriginalCurrency(line, currency),
    '</STMTTRN>\n',
  ].join('')
}

/** Currency that an amount was converted from or to, with units of the statement's currency for one of its own. */
function writeOriginalCurrency(line: LineFacts, currency: BankAccount['currency']): string {
  const exchange = findExchange(line)
  if (!exchange) return ''
  const { source, target, rate } = exchange
  const [symbol, value] = source.currency === currency ? [target.currency, inverse(rate)] : [source.currency, rate]
  return `<ORIGCURRENCY><CURRATE>${formatRate(value)}</CURRATE><CURSYM>${symbol}</CURSYM></ORIGCURRENCY>`
}
