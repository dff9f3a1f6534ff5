import type { Money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { readResidence } from '../../kyc/kyc.ts'
import { type NewCase, openCase } from '../cases/open-case.ts'
import { movedSince, nextStep } from '../travel-rule/moved-transfers.ts'
import {
  isKnownPayee,
  lowestThreshold,
  type OutlineRow,
  type Overview,
  overviewOf,
  readFlows,
  readOverview,
  readReportingThresholds,
  type UsdMinorOf,
} from './reading.ts'
import { type Flow, findPattern, isCalm, isNear, isOutlineCalm, largeFrom, type Pattern } from './rules.ts'

export interface MonitoringOptions {
  readonly pool: pg.Pool
  readonly now: () => Date
  readonly exchange: {
    hasRate(currency: Money['currency']): boolean
    /** Value in US dollar cents, rounded up. */
    usdMinorOf(amount: Money): bigint
  }
}

/** Amount to be debited. */
export interface Leaving {
  readonly userId: bigint
  /** Undefined for a withdrawal. */
  readonly recipientId?: bigint | undefined
  readonly usdMinor: bigint
}

/** Assessment of a payment before it is made. */
export interface Judged {
  /** Case to open with the payment, because it completes a pattern. */
  readonly opens?: NewCase | undefined
  /** Value in US dollar cents from which a payment may count towards structuring; undefined when any may. */
  readonly largeFromUsdMinor: bigint | undefined
  /** No smaller payment of this sender can complete a pattern until other money moves. */
  readonly isCalm: boolean
}

/** Outline of a sender's latest payments, read in one query with other facts. */
export interface Read {
  readonly outline: OutlineRow
  readonly from: Date
  /** Lowest reporting threshold of each currency, as decimal strings of minor units. */
  readonly thresholds: readonly { readonly currency: string; readonly minor: string }[]
}

const dayMs = 86_400_000

/** Detects patterns in users' payments. */
export function createMonitoring({ pool, now, exchange }: MonitoringOptions) {
  const worthOf: UsdMinorOf = (amount) => (exchange.hasRate(amount.currency) ? exchange.usdMinorOf(amount) : undefined)

  /** Returns the payments, including the pending one, and the pattern they make. */
  async function look(
    db: Db,
    userId: bigint,
    { policy, since, accountOpenedAt }: Overview,
    leaving?: Leaving,
  ): Promise<{ flows: readonly Flow[]; pattern: Pattern | undefined }> {
    const at = now()
    const { known_days: knownDays } = policy
    const flows = await readFlows(db, { userId, since, knownDays }, worthOf)
    if (leaving) flows.push(await flowOf(db, leaving, { at, knownDays }))
    const country = await readResidence(db, userId)
    const reportingThresholds = await readReportingThresholds(db, { country, at }, worthOf)
    return { flows, pattern: findPattern({ at, accountOpenedAt, reportingThresholds, flows }, policy) }
  }

  async function lookWithout(db: Db, userId: bigint): Promise<Pattern | undefined> {
    const overview = await readOverview(db, userId, now(), worthOf)
    if (!overview || !isNear(overview.outline, overview.policy)) return undefined
    return (await look(db, userId, overview)).pattern
  }

  async function openFor(tx: Tx, userId: bigint): Promise<boolean> {
    // One case per person at a time, across processes.
    await lockName(tx, `monitoring ${userId}`)
    const { rowCount: open } = await tx.query(
      `select from compliance_case where user_id = $1 and kind = 'pattern' and state <> 'cleared' limit 1`,
      [userId],
    )
    const pattern = open === 0 ? await lookWithout(tx, userId) : undefined
    if (!pattern) return false
    await openCase(tx, caseOf(userId, pattern), now())
    return true
  }

  return {
    /** Judges a payment by its sender's outline. Reads the payments themselves only near a pattern. */
    async judge(read: Read, leaving: Leaving): Promise<Judged> {
      const overview = overviewOf(read.outline, read.from, worthOf)
      const { policy, isValued } = overview
      const lowest = lowestThreshold(read.thresholds, worthOf)
      const largeFromUsdMinor = lowest === undefined ? undefined : largeFrom(lowest, policy)
      const outline = { ...overview.outline, outs: overview.outline.outs + 1 }
      if (isOutlineCalm(outline, policy)) return { largeFromUsdMinor, isCalm: isValued }
      if (!isNear(outline, policy)) return { largeFromUsdMinor, isCalm: false }
      const { flows, pattern } = await look(pool, leaving.userId, overview, leaving)
      return {
        opens: pattern && caseOf(leaving.userId, pattern),
        largeFromUsdMinor,
        isCalm: isValued && largeFromUsdMinor !== undefined && isCalm(flows, largeFromUsdMinor, policy),
      }
    },

    /**
     * Checks everyone whose money moved up to the latest commit, and opens cases for patterns made by concurrent
     * payments. Past payments stay; the next one is held. Returns the number of cases.
     */
    async watchMoved(): Promise<number> {
      let opened = 0
      for (;;) {
        const isMore = await transact(pool, async (tx) => {
          const step = await nextStep(tx, 'monitoring_position', now())
          if (!step) return false
          const moved = await movedSince(tx, step)
          const people = new Set(
            moved.flatMap(({ originator, beneficiary }) => [originator.userId, beneficiary.userId]),
          )
          for (const userId of [...people].toSorted((one, other) => (one < other ? -1 : 1))) {
            if (await openFor(tx, userId)) opened += 1
          }
          return step.isMore
        })
        if (!isMore) return opened
      }
    },
  }
}

export type Monitoring = ReturnType<typeof createMonitoring>

const caseOf = (userId: bigint, { rule, version, inputs }: Pattern): NewCase => ({
  userId,
  kind: 'pattern',
  evidence: { rule, version, ...inputs },
})

async function flowOf(
  db: Db,
  { userId, recipientId, usdMinor }: Leaving,
  { at, knownDays }: { readonly at: Date; readonly knownDays: number },
): Promise<Flow> {
  const isKnown =
    recipientId !== undefined &&
    (await isKnownPayee(db, [userId, recipientId], new Date(at.getTime() - knownDays * dayMs)))
  return { at, direction: 'out', party: recipientId?.toString() ?? 'bank', usdMinor, isAsked: false, isKnown }
}
