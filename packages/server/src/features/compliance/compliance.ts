// Screening against lists (docs/screening.md), cases that stop payments until operators decide (docs/compliance.md),
// payment patterns that open cases (docs/monitoring.md), and travel rule records (docs/travel-rule.md).

import type pg from 'pg'
import type { Db, WorkInput, Tx } from '../../platform/database/db.ts'
import { createSeal, type Secret } from '../../platform/seal.ts'
import { notifyHeld } from './cases/case-notices.ts'
import { findTransferCheck, listChecks } from './cases/checks.ts'
import {
  type CaseVerdict,
  decideObjection,
  decideReview,
  isInvolved,
  type ObjectionVerdict,
} from './cases/decide-case.ts'
import { countEscalated, endUnanswered, escalateOverdueCases, escalateOverdueObjections } from './cases/deadlines.ts'
import { answerCheck, objectToCheck } from './cases/person-actions.ts'
import type { CaseContext, MonitoringContext, ScreeningContext, TravelRuleContext } from './context.ts'
import { evaluatePayment, watchMovedTransfers } from './monitoring/monitoring.ts'
import { compareWithEntries } from './screening/comparison/compare-entries.ts'
import * as counterparties from './screening/counterparties/counterparties.ts'
import { defaultDownloadLimits } from './screening/fetch/download.ts'
import { fetchLists, readFailures } from './screening/fetch/fetch-lists.ts'
import type { ListFile } from './screening/lists/read-files.ts'
import { emptyListedNames } from './screening/matcher/listed-names.ts'
import { findMatches, type ScreenedPerson } from './screening/matcher/screening.ts'
import { screenDue } from './screening/screen-due.ts'
import { readPerson, screenOutdated, stopsVerification } from './screening/people/screen-people.ts'
import { importLists } from './screening/store/import-list.ts'
import {
  areHeldForLists,
  areListsStale,
  emptyGate,
  computeListDeadline,
  findStaleLists,
} from './screening/store/list-gate.ts'
import { readListStatus, readListsInForce } from './screening/store/list-status.ts'
import { findRecord, recordDue, recordRemaining, travelRulePurpose } from './travel-rule/travel-rule.ts'

export { ListFileError, listSources, type ListSource } from './screening/lists/entry.ts'
export { splitHolderNames } from './screening/counterparties/holder-names.ts'
export { holdFrom, reviewFrom } from './screening/names/score.ts'
export { openCase, linkToOpenCases, type NewCase } from './cases/open-case.ts'
export { isHeldByCase, type CounterpartyStatus } from './screening/counterparties/counterparties.ts'
export { areStopped, caseStopsSql, isStoppedByCase, StoppedByCaseError, requireNotStopped } from './cases/case-stops.ts'
export { caseVerdicts, objectionVerdicts } from './cases/decide-case.ts'
export { isDisclosedSql } from './cases/checks.ts'
export { checksRoutes } from './cases/checks.routes.ts'
export type { CaseKind, Evidence } from './cases/case-rows.ts'
export { describeStaleLists } from './screening/store/list-gate.ts'
export type { PaymentJudgement } from './monitoring/monitoring.ts'
export { computeOutlineStart, buildOutlineSql, type OutlineRow, outlineSql } from './monitoring/flows.ts'
export { type TravelRuleRecord, travelRulePurpose } from './travel-rule/travel-rule.ts'
export type { ImportResult } from './screening/store/import-list.ts'
export type { FetchResult } from './screening/fetch/fetch-lists.ts'
export type { ListStatus } from './screening/store/list-status.ts'
export type { ListFile } from './screening/lists/read-files.ts'
export type { ScreenedPerson, ScreeningMatch, ScreeningResult } from './screening/matcher/screening.ts'

type Memory = 'listedNames' | 'gate'
type OptionalParts = 'listAddresses' | 'downloadLimits'

interface ScreeningDeps
  extends Omit<ScreeningContext, Memory | OptionalParts>, Partial<Pick<ScreeningContext, OptionalParts>> {
  readonly pool: pg.Pool
}

/** Sanctions lists, and the screening of people and counterparties against them. */
export function createCompliance({ pool, ...deps }: ScreeningDeps) {
  const ctx: ScreeningContext = {
    listAddresses: {},
    downloadLimits: defaultDownloadLimits,
    ...deps,
    listedNames: emptyListedNames(),
    gate: emptyGate(),
  }
  return {
    screen: (db: Db, person: ScreenedPerson) => findMatches(ctx, db, person),
    readPerson: (db: Db, userId: bigint) => readPerson(ctx, db, userId),
    compareWithEntries: (db: Db, input: WorkInput<typeof compareWithEntries>) => compareWithEntries(ctx, db, input),
    stopsVerification: (tx: Tx, userId: bigint) => stopsVerification(ctx, tx, userId),
    screenOutdated: (tx: Tx, people: readonly bigint[]) => screenOutdated(ctx, tx, people),
    screenDue: () => screenDue(ctx, pool),
    fetchLists: (input?: Parameters<typeof fetchLists>[2]) => fetchLists(ctx, pool, input),
    fetchFailures: () => readFailures(pool),
    listStatus: () => readListStatus(pool, ctx.now()),
    listsInForce: () => readListsInForce(pool, ctx.now()),
    importLists: (files: readonly ListFile[], force?: boolean) => importLists(ctx, pool, { files, force }),
    counterparties: bindCounterparties(ctx),
    lists: bindListGate(ctx, pool),
  }
}

export type Compliance = ReturnType<typeof createCompliance>

const bindCounterparties = (ctx: ScreeningContext) => ({
  check: (tx: Tx, counterparty: counterparties.Counterparty) => counterparties.checkCounterparty(ctx, tx, counterparty),
  decidedBy: counterparties.readCaseDeadline,
  areStopped: (tx: Tx, id: string) => counterparties.isCounterpartyStopped(ctx, tx, id),
  requireNotStopped: (tx: Tx, id: string) => counterparties.requireCounterpartyNotStopped(ctx, tx, id),
  end: (tx: Tx, id: string) => counterparties.endCounterparty(ctx, tx, id),
})

export type Counterparties = ReturnType<typeof bindCounterparties>

const bindListGate = (ctx: ScreeningContext, pool: pg.Pool) => ({
  tooOld: () => findStaleLists(ctx, pool),
  areTooOld: (db: Db) => areListsStale(ctx, db),
  hold: (db: Db, people: readonly bigint[]) => areHeldForLists(ctx, db, people),
  expectedBy: () => computeListDeadline(ctx),
})

export type ListGate = ReturnType<typeof bindListGate>

/** Cases: views and actions of account holders, decisions of operators, and deadlines. */
export const createCases = ({ pool, ...ctx }: CaseContext & { readonly pool: pg.Pool }) => ({
  list: (userId: bigint) => listChecks(ctx, pool, userId),
  ofTransfer: (userId: bigint, transferId: string) => findTransferCheck(ctx, pool, { userId, transferId }),
  answer: (userId: bigint, id: string, text: string) => answerCheck(ctx, pool, { userId, id, text }),
  object: (userId: bigint, id: string, text: string) => objectToCheck(ctx, pool, { userId, id, text }),
  decideReview: (id: string, verdict: CaseVerdict, by: string) => decideReview(ctx, pool, { id, verdict, by }),
  decideObjection: (id: string, verdict: ObjectionVerdict, by: string) =>
    decideObjection(ctx, pool, { id, verdict, by }),
  passDeadlines: {
    cases: (tx: Tx) => escalateOverdueCases(ctx, tx),
    objections: (tx: Tx) => escalateOverdueObjections(ctx, tx),
  },
  endUnanswered: () => endUnanswered(ctx, pool),
  notifyHeld: () => notifyHeld(ctx, pool),
  countEscalated: () => countEscalated(pool),
  isInvolved: (db: Db, objectionId: string, operatorId: string) => isInvolved(db, { objectionId, operatorId }),
})

export type Cases = ReturnType<typeof createCases>

/** Detection of patterns in users' payments. */
export const createMonitoring = ({ pool, ...ctx }: MonitoringContext & { readonly pool: pg.Pool }) => ({
  judge: (db: Db, input: WorkInput<typeof evaluatePayment>) => evaluatePayment(ctx, db, input),
  watchMovedTransfers: () => watchMovedTransfers(ctx, pool),
})

export type Monitoring = ReturnType<typeof createMonitoring>

interface TravelRuleDeps extends Omit<TravelRuleContext, 'seal'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

/** Travel rule records of senders and recipients. */
export function createTravelRule({ pool, secret, ...deps }: TravelRuleDeps) {
  const ctx: TravelRuleContext = { ...deps, seal: createSeal(secret, travelRulePurpose) }
  return {
    recordDue: () => recordDue(ctx, pool),
    recordOf: (tx: Tx, userId: bigint) => recordRemaining(ctx, tx, userId),
    read: (db: Db, transactionId: string) => findRecord(ctx, db, transactionId),
  }
}

export type TravelRule = ReturnType<typeof createTravelRule>
