import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { readResidence } from '../../kyc/kyc.ts'
import { type NewCase, openCase } from '../cases/open-case.ts'
import type { MonitoringContext } from '../context.ts'
import { readStep, findNextStep } from '../travel-rule/moved-transfers.ts'
import {
  isKnownPayee,
  findLowestThreshold,
  type OutlineRow,
  type Overview,
  toOverview,
  readFlows,
  readOverview,
  readReportingThresholds,
} from './flows.ts'
import {
  type Flow,
  findPattern,
  isLowRisk,
  isNearPattern,
  isOutlineLowRisk,
  computeLargeAmount,
  type Pattern,
} from './rules.ts'

/** Payment that is about to be debited. */
export interface OutgoingPayment {
  readonly userId: bigint
  /** Undefined for a withdrawal. */
  readonly recipientId?: bigint | undefined
  readonly usdMinor: bigint
}

/** Result of assessing a payment before it is made. */
export interface PaymentJudgement {
  /** Case to open with the payment if it completes a pattern. */
  readonly opens?: NewCase | undefined
  /** Amount in US dollar cents from which a payment may count towards structuring; undefined if any amount may. */
  readonly largeFromUsdMinor: bigint | undefined
  /** Whether no payment below `largeFromUsdMinor` can complete a pattern until other money moves. */
  readonly isLowRisk: boolean
}

/** Facts about a sender. The caller reads them in one query with the facts of other rules. */
export interface MonitoringFacts {
  readonly outline: OutlineRow
  readonly from: Date
  /** Lowest reporting threshold of each currency; `minor` is an integer as text. */
  readonly thresholds: readonly { readonly currency: string; readonly minor: string }[]
}

const dayMs = 86_400_000

/** Returns a user's movements, with the pending payment if given, and the pattern they form. */
async function readPattern(
  ctx: MonitoringContext,
  db: Db,
  {
    userId,
    overview,
    payment,
  }: { readonly userId: bigint; readonly overview: Overview; readonly payment?: OutgoingPayment },
): Promise<{ flows: readonly Flow[]; pattern: Pattern | undefined }> {
  const at = ctx.now()
  const { policy, since, accountOpenedAt } = overview
  const { known_days: knownDays } = policy
  const flows = await readFlows(ctx, db, { userId, since, knownDays })
  if (payment) flows.push(await loadFlow(db, payment, { at, knownDays }))
  const country = await readResidence(db, userId)
  const reportingThresholds = await readReportingThresholds(ctx, db, { country, at })
  return { flows, pattern: findPattern({ at, accountOpenedAt, reportingThresholds, flows }, policy) }
}

/**
 * Assesses a payment by the summary of its sender's movements. Reads the movements themselves only if a rule could
 * fire.
 */
export async function evaluatePayment(
  ctx: MonitoringContext,
  db: Db,
  { outline: row, from, thresholds, payment }: MonitoringFacts & { readonly payment: OutgoingPayment },
): Promise<PaymentJudgement> {
  const overview = toOverview(ctx, row, from)
  const { policy, isValued } = overview
  const lowest = findLowestThreshold(ctx, thresholds)
  const largeFromUsdMinor = lowest === undefined ? undefined : computeLargeAmount(lowest, policy)
  const outline = { ...overview.outline, outCount: overview.outline.outCount + 1 }
  if (isOutlineLowRisk(outline, policy)) return { largeFromUsdMinor, isLowRisk: isValued }
  if (!isNearPattern(outline, policy)) return { largeFromUsdMinor, isLowRisk: false }
  const { flows, pattern } = await readPattern(ctx, db, { userId: payment.userId, overview, payment })
  return {
    opens: pattern && buildCase(payment.userId, pattern),
    largeFromUsdMinor,
    isLowRisk: isValued && largeFromUsdMinor !== undefined && isLowRisk(flows, largeFromUsdMinor, policy),
  }
}

async function findMovedPattern(ctx: MonitoringContext, db: Db, userId: bigint): Promise<Pattern | undefined> {
  const overview = await readOverview(ctx, db, userId)
  if (!overview || !isNearPattern(overview.outline, overview.policy)) return undefined
  return (await readPattern(ctx, db, { userId, overview })).pattern
}

/**
 * Opens a case if a person's movements form a pattern and no case of this kind is open or confirmed. Returns whether it
 * did.
 */
async function openPatternCase(ctx: MonitoringContext, tx: Tx, userId: bigint): Promise<boolean> {
  // Serializes processes, so that a person gets one case at a time.
  await lockName(tx, `monitoring ${userId}`)
  const { rowCount: unclearedCaseCount } = await tx.query(
    `select from compliance_case where user_id = $1 and kind = 'pattern' and state <> 'cleared' limit 1`,
    [userId],
  )
  const pattern = unclearedCaseCount === 0 ? await findMovedPattern(ctx, tx, userId) : undefined
  if (!pattern) return false
  await openCase(tx, buildCase(userId, pattern), ctx.now())
  return true
}

/**
 * Checks everyone whose money has moved since the last run, and opens cases for patterns, such as those of concurrent
 * payments. Completed payments stay; the next one is held. Returns the number of cases opened.
 */
export async function watchMovedTransfers(ctx: MonitoringContext, pool: pg.Pool): Promise<number> {
  let openedCaseCount = 0
  for (;;) {
    const hasMore = await transact(pool, async (tx) => {
      const step = await findNextStep(tx, 'monitoring_position', ctx.now())
      if (!step) return false
      const transfers = await readStep(tx, step)
      const people = new Set(
        transfers.flatMap(({ originator, beneficiary }) => [originator.userId, beneficiary.userId]),
      )
      for (const userId of [...people].toSorted((a, b) => (a < b ? -1 : 1))) {
        if (await openPatternCase(ctx, tx, userId)) openedCaseCount += 1
      }
      return step.hasMore
    })
    if (!hasMore) return openedCaseCount
  }
}

const buildCase = (userId: bigint, { rule, version, inputs }: Pattern): NewCase => ({
  userId,
  kind: 'pattern',
  evidence: { rule, version, ...inputs },
})

async function loadFlow(
  db: Db,
  { userId, recipientId, usdMinor }: OutgoingPayment,
  { at, knownDays }: { readonly at: Date; readonly knownDays: number },
): Promise<Flow> {
  const isKnown =
    recipientId !== undefined &&
    (await isKnownPayee(db, [userId, recipientId], new Date(at.getTime() - knownDays * dayMs)))
  return { at, direction: 'out', party: recipientId?.toString() ?? 'bank', usdMinor, isAsked: false, isKnown }
}
