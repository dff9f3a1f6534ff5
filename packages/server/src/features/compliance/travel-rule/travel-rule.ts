// Travel rule records of sender and recipient, for transfers from a threshold on (docs/travel-rule.md). A worker reads
// committed transfers, so that sends are not slowed down. It stores its position together with the records.

import { findCountry } from '@tern/contract/countries'
import type { VerificationForm } from '@tern/contract/kyc/verification-form'
import { isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { readUsdMinor, type TravelRuleContext } from '../context.ts'
import { type IdentityPayload, identityPayload } from './ivms101.ts'
import { type Party, buildPayload } from './payload.ts'
import { readThresholds, findRequirement, type Threshold } from './thresholds.ts'
import { readStep, readUnrecordedTransfers, type MovedTransfer, findNextStep } from './moved-transfers.ts'

export const travelRulePurpose = 'compliance/travel-rule'

export interface TravelRuleRecord {
  readonly transactionId: string
  readonly kind: 'send' | 'payout'
  readonly originatorId: bigint
  readonly beneficiaryId: bigint
  readonly movedAt: Date
  readonly recordedAt: Date
  readonly payload: IdentityPayload
}

async function recordTransfers(ctx: TravelRuleContext, tx: Tx, transfers: readonly MovedTransfer[]): Promise<number> {
  if (transfers.length === 0) return 0
  const at = ctx.now()
  const thresholdsByDay = await readThresholdsByDay(tx, transfers)
  const forms = new Map<bigint, VerificationForm | undefined>()
  for (const id of new Set(
    transfers.flatMap(({ originator, beneficiary }) => [originator.userId, beneficiary.userId]),
  )) {
    forms.set(id, await ctx.kyc.verifiedForm(tx, id))
  }
  const addForm = (party: MovedTransfer['originator']): Party => ({ ...party, form: forms.get(party.userId) })
  let recordedCount = 0
  for (const transfer of transfers) {
    const originator = addForm(transfer.originator)
    const beneficiary = addForm(transfer.beneficiary)
    const amount = requireAmount(transfer)
    const thresholds = thresholdsByDay.get(toMovedDay(transfer)) ?? new Map<string, Threshold>()
    const countries = [countryCode(originator), countryCode(beneficiary)]
    const requirement = findRequirement(ctx, { amount, countries, thresholds })
    if (!requirement.isRequired) continue
    const row = {
      transaction_id: transfer.id,
      kind: transfer.kind,
      moved_at: transfer.movedAt,
      recorded_at: at,
      originator_id: originator.userId,
      beneficiary_id: beneficiary.userId,
      usd_minor: readUsdMinor(ctx, amount),
      threshold_country: requirement.by?.country,
      threshold_valid_from: requirement.by?.validFrom,
      content: ctx.seal.seal(JSON.stringify(buildPayload(originator, beneficiary)), transfer.id),
    }
    if (await insertRow(tx, 'travel_rule_record', row, 'on conflict do nothing')) recordedCount += 1
  }
  return recordedCount
}

const countryCode = ({ form }: Party): string | undefined => (form ? findCountry(form.country)?.code : undefined)

/**
 * Records all transfers committed so far, each once, and returns the count. Returns at once if another process is
 * working. Each step is one transaction, so an interrupted one leaves no records.
 */
export async function recordDue(ctx: TravelRuleContext, pool: pg.Pool): Promise<number> {
  let recordedCount = 0
  for (;;) {
    const hasMore = await transact(pool, async (tx) => {
      const step = await findNextStep(tx, 'travel_rule_position', ctx.now())
      if (!step) return false
      recordedCount += await recordTransfers(ctx, tx, await readStep(tx, step))
      return step.hasMore
    })
    if (!hasMore) return recordedCount
  }
}

/** Records a user's remaining transfers before their identity is erased. */
export const recordRemaining = async (ctx: TravelRuleContext, tx: Tx, userId: bigint): Promise<number> =>
  recordTransfers(ctx, tx, await readUnrecordedTransfers(tx, userId))

/** Returns a decrypted record, or undefined. The caller must log the access if the record is displayed. */
export async function findRecord(
  { seal }: Pick<TravelRuleContext, 'seal'>,
  db: Db,
  transactionId: string,
): Promise<TravelRuleRecord | undefined> {
  const { rows } = await db.query<Omit<TravelRuleRecord, 'payload'> & { content: Buffer }>(
    `select transaction_id as "transactionId", kind, originator_id as "originatorId", beneficiary_id as "beneficiaryId",
         moved_at as "movedAt", recorded_at as "recordedAt", content
       from travel_rule_record where transaction_id = $1`,
    [transactionId],
  )
  if (!rows[0]) return undefined
  const { content, ...found } = rows[0]
  return { ...found, payload: identityPayload.parse(JSON.parse(seal.open(content, found.transactionId))) }
}

const toMovedDay = ({ movedAt }: MovedTransfer): string => movedAt.toISOString().slice(0, 10)

/** Returns the thresholds in force on the day of each transfer, by day. */
async function readThresholdsByDay(
  tx: Tx,
  transfers: readonly MovedTransfer[],
): Promise<Map<string, Map<string, Threshold>>> {
  const thresholdsByDay = new Map<string, Map<string, Threshold>>()
  for (const transfer of transfers) {
    const day = toMovedDay(transfer)
    if (!thresholdsByDay.has(day)) thresholdsByDay.set(day, await readThresholds(tx, transfer.movedAt))
  }
  return thresholdsByDay
}

function requireAmount({ id, currency, minor }: MovedTransfer): Money {
  if (!isCurrencyCode(currency)) throw new Error(`transaction ${id} is in ${currency}`)
  return money(currency, minor)
}
