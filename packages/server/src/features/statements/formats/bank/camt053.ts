import type { StatementLineKind } from '@tern/contract/statements'
import { type Ratio, toDecimalPlaces } from '@tern/money/ratio'
import { dayOf } from '../days.ts'
import { cutText, toPlainText } from '../plain-text.ts'
import type { LineFacts } from '../../statement-lines.ts'
import {
  type BankAccount,
  type BankSource,
  compactId,
  describeLine,
  element,
  escapeXml,
  findExchange,
  formatUnsigned,
  lineReference,
  transactionReference,
} from './bank-file.ts'

/** Domain, family and subfamily of ISO 20022 for money in and money out. */
const transactionCodes: Readonly<Record<StatementLineKind, readonly [credit: string, debit: string]>> = {
  received: ['PMNT RCDT BOOK', 'PMNT RCDT RRTN'],
  sent: ['PMNT ICDT RRTN', 'PMNT ICDT BOOK'],
  deposit: ['PMNT RCDT OTHR', 'PMNT RCDT RRTN'],
  withdrawal: ['PMNT ICDT RRTN', 'PMNT ICDT OTHR'],
  exchanged_in: ['FORX SPOT OTHR', 'FORX SPOT OTHR'],
  exchanged_out: ['FORX SPOT OTHR', 'FORX SPOT OTHR'],
  fee: ['ACMT MCOP CHRG', 'ACMT MDOP CHRG'],
  fee_returned: ['ACMT MCOP CHRG', 'ACMT MDOP CHRG'],
  put_on_hold: ['ACMT MCOP OTHR', 'ACMT MDOP OTHR'],
  released_from_hold: ['ACMT MCOP OTHR', 'ACMT MDOP OTHR'],
  refund: ['PMNT ICDT RRTN', 'PMNT RCDT RRTN'],
  chargeback: ['PMNT RCDT RRTN', 'PMNT RCDT RRTN'],
  correction: ['ACMT MCOP ADJT', 'ACMT MDOP ADJT'],
}

const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'
const remittanceLength = 140

/** Writes a bank-to-customer statement of ISO 20022, camt.053.001.08. */
export async function* writeCamt053(source: BankSource): AsyncGenerator<string, void, undefined> {
  const { period, walletId } = source
  const messageId = [...[period.from, period.to].map(compactId), compactId(walletId).slice(-8)].join('-')
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}"><BkToCstmrStmt>\n`
  yield `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${period.asOf.toISOString()}</CreDtTm></GrpHdr>\n`
  for (const account of source.accounts) yield* writeStatement(source, account, messageId)
  yield '</BkToCstmrStmt></Document>\n'
}

async function* writeStatement(source: BankSource, account: BankAccount, messageId: string) {
  const { period, walletId, holder, issuer } = source
  const { currency, opening, closing, lines } = account
  yield [
    `<Stmt><Id>${messageId}-${currency}</Id><CreDtTm>${period.asOf.toISOString()}</CreDtTm>`,
    `<FrToDt><FrDtTm>${period.startsAt.toISOString()}</FrDtTm><ToDtTm>${period.asOf.toISOString()}</ToDtTm></FrToDt>\n`,
    `<Acct><Id><Othr><Id>${compactId(walletId)}</Id>${element('Issr', cutText(issuer, 35))}</Othr></Id>`,
    `<Ccy>${currency}</Ccy>`,
    `<Ownr>${element('Nm', cutText(holder, 140))}</Ownr>`,
    `<Svcr><FinInstnId>${element('Nm', cutText(issuer, 140))}</FinInstnId></Svcr></Acct>\n`,
    writeBalance('OPBD', { currency, minor: opening, day: period.from }),
    // A statement of a period that has not ended has an interim balance.
    writeBalance(period.isFinal ? 'CLBD' : 'ITBD', { currency, minor: closing, day: lastDay(period) }),
  ].join('')
  for await (const line of lines) yield writeEntry(line, account, source)
  yield '</Stmt>\n'
}

const lastDay = ({ to, asOf, timeZone }: BankSource['period']): string => {
  const day = dayOf(asOf, timeZone)
  return day < to ? day : to
}

interface Balance {
  readonly currency: BankAccount['currency']
  readonly minor: bigint
  readonly day: string
}

const direction = (minor: bigint): string => `<CdtDbtInd>${minor < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`

const writeAmount = (name: string, { currency, minor }: Omit<Balance, 'day'>): string =>
  `<${name} Ccy="${currency}">${formatUnsigned(currency, minor)}</${name}>`

const writeBalance = (code: string, { day, ...amount }: Balance): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${writeAmount('Amt', amount)}${direction(amount.minor)}<Dt><Dt>${day}</Dt></Dt></Bal>\n`

function writeEntry(line: LineFacts, { currency }: BankAccount, { period, messages, issuer }: BankSource): string {
  const { at, kind, amount } = line
  const id = lineReference(line)
  const day = dayOf(at, period.timeZone)
  const [domain = '', family = '', subfamily = ''] = transactionCodes[kind][amount < 0n ? 1 : 0].split(' ')
  const code = `<Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${subfamily}</SubFmlyCd></Fmly></Domn>`
  return [
    `<Ntry><NtryRef>${id}</NtryRef>${writeAmount('Amt', { currency, minor: amount })}${direction(amount)}`,
    `<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>`,
    `<AcctSvcrRef>${id}</AcctSvcrRef>`,
    `<BkTxCd>${code}<Prtry><Cd>${kind}</Cd>${element('Issr', cutText(issuer, 35))}</Prtry></BkTxCd>`,
    `<NtryDtls><TxDtls>${writeReferences(line)}${writeAmount('Amt', { currency, minor: amount })}${direction(amount)}`,
    writeExchange(line),
    writeParty(line),
    writeRemittance(describeLine(line, messages)),
    `<RltdDts><TxDtTm>${at.toISOString()}</TxDtTm></RltdDts></TxDtls></NtryDtls></Ntry>\n`,
  ].join('')
}

function writeReferences(line: LineFacts): string {
  const reference = transactionReference(line)
  const { transaction } = line
  const own = transaction ? `<TxId>${compactId(transaction.id)}</TxId>` : ''
  const short = reference === undefined ? '' : `<Prtry><Tp>reference</Tp><Ref>${reference}</Ref></Prtry>`
  return `<Refs><AcctSvcrRef>${lineReference(line)}</AcctSvcrRef>${own}${short}</Refs>`
}

function writeExchange(line: LineFacts): string {
  const exchange = findExchange(line)
  if (!exchange) return ''
  const { source, target, rate } = exchange
  const terms = [
    `<SrcCcy>${source.currency}</SrcCcy><TrgtCcy>${target.currency}</TrgtCcy>`,
    `<UnitCcy>${source.currency}</UnitCcy><XchgRate>${formatBaseRate(rate)}</XchgRate>`,
  ].join('')
  return `<AmtDtls><InstdAmt>${writeAmount('Amt', source)}</InstdAmt><CntrValAmt>${writeAmount('Amt', target)}<CcyXchg>${terms}</CcyXchg></CntrValAmt></AmtDtls>`
}

/** Formats a rate with at most 11 digits, of which at most 10 are decimals, rounded half up. */
function formatBaseRate(rate: Ratio): string {
  const [integerPart = ''] = toDecimalPlaces(rate, 10).split('.')
  return toDecimalPlaces(rate, Math.min(10, 11 - integerPart.length)) // not money: a count of digits
}

function writeParty({ counterparty, amount }: LineFacts): string {
  if (!counterparty) return ''
  const role = amount < 0n ? 'Cdtr' : 'Dbtr'
  const name = element('Nm', cutText(counterparty.name ?? counterparty.username, 140))
  const account = element('Id', cutText(counterparty.username, 34))
  return `<RltdPties><${role}><Pty>${name}</Pty></${role}><${role}Acct><Id><Othr>${account}</Othr></Id></${role}Acct></RltdPties>`
}

/** Divides a text into parts of the allowed length, without dividing a character. */
function writeRemittance(text: string): string {
  const parts: string[] = []
  let part = ''
  for (const character of toPlainText(text)) {
    if (part.length + character.length > remittanceLength) {
      parts.push(part)
      part = ''
    }
    part += character
  }
  const elements = [...parts, part].filter((content) => content.trim() !== '')
  return elements.length === 0
    ? ''
    : `<RmtInf>${elements.map((content) => `<Ustrd>${escapeXml(content)}</Ustrd>`).join('')}</RmtInf>`
}
