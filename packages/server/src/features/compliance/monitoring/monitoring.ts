import type { Money } from '@tern/money/money'
import type pg from 'pg'
import { type Queryable, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import type { Kyc } from '../../kyc/kyc.ts'
import { type NewCase, openCase } from '../cases/open-case.ts'
import { movedSince, nextStep } from '../travel-rule/moved-transfers.ts'
import { isKnownPayee, readFlows, readOverview, readReportingThresholds, type UsdMinorOf } from './reading.ts'
import { type Flow, findPattern, isNear, type Pattern } from './rules.ts'

export interface MonitoringOptions {
  readonly pool: pg.Pool
  readonly now: () => Date
  readonly kyc: Pick<Kyc, 'residenceOf'>
  readonly exchange: {
    hasRate(currency: Money['currency']): boolean
    /** In US dollar cents, rounded up. */
    usdMinorOf(amount: Money): bigint
  }
}

/** What is about to leave. */
export interface Leaving {
  readonly userId: bigint
  /** Undefined of what goes to a bank. */
  readonly recipientId?: bigint | undefined
  readonly usdMinor: bigint
}

const dayMs = 86_400_000

/** Looks for patterns in what people move. */
export function createMonitoring({ pool, now, kyc, exchange }: MonitoringOptions) {
  const worthOf: UsdMinorOf = (amount) => (exchange.hasRate(amount.currency) ? exchange.usdMinorOf(amount) : undefined)

  async function look(db: Queryable, userId: bigint, leaving?: Leaving): Promise<Pattern | undefined> {
    const at = now()
    const overview = await readOverview(db, userId, at, worthOf)
    if (!overview) return undefined
    const { policy, outline, since, accountOpenedAt } = overview
    if (!isNear(leaving ? { ...outline, outs: outline.outs + 1 } : outline, policy)) return undefined
    const { known_days: knownDays } = policy
    const flows = await readFlows(db, { userId, since, knownDays }, worthOf)
    if (leaving) flows.push(await flowOf(db, leaving, { at, knownDays }))
    const country = await kyc.residenceOf(userId)
    const reportingThresholds = await readReportingThresholds(db, { country, at }, worthOf)
    return findPattern({ at, accountOpenedAt, reportingThresholds, flows }, policy)
  }

  async function openFor(tx: Tx, userId: bigint): Promise<boolean> {
    // One case of a person at a time, whatever process finds it.
    await lockName(tx, `monitoring ${userId}`)
    const { rowCount: open } = await tx.query(
      `select from compliance_case where user_id = $1 and kind = 'pattern' and state <> 'cleared' limit 1`,
      [userId],
    )
    const pattern = open === 0 ? await look(tx, userId) : undefined
    if (!pattern) return false
    await openCase(tx, caseOf(userId, pattern), now())
    return true
  }

  return {
    /** The case to open when money leaves that completes a pattern. One indexed query, and more only near a pattern. */
    async caseFor(leaving: Leaving): Promise<NewCase | undefined> {
      const pattern = await look(pool, leaving.userId, leaving)
      return pattern && caseOf(leaving.userId, pattern)
    },

    /**
     * Looks at everybody who sent or got money up to the latest commit, and opens cases for patterns that several payments of
     * one moment made together: what has passed stays, and what leaves next waits. Gives how many.
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
  db: Queryable,
  { userId, recipientId, usdMinor }: Leaving,
  { at, knownDays }: { readonly at: Date; readonly knownDays: number },
): Promise<Flow> {
  const isKnown =
    recipientId !== undefined &&
    (await isKnownPayee(db, [userId, recipientId], new Date(at.getTime() - knownDays * dayMs)))
  return { at, direction: 'out', party: recipientId?.toString() ?? 'bank', usdMinor, isAsked: false, isKnown }
}
