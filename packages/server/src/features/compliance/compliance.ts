// Screening against lists (docs/screening.md), the cases that stop payments until an operator decides
// (docs/compliance.md), the payment patterns that open some of them (docs/monitoring.md), and travel rule records
// (docs/travel-rule.md).

import type pg from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import { importList, type ImportResult } from './screening/store/import-list.ts'
import { fetchLists, type FetchResult, readFailures } from './screening/fetch/fetch-lists.ts'
import { createListGate } from './screening/store/list-gate.ts'
import { readListStatus } from './screening/store/list-status.ts'
import type { ListSource } from './screening/lists/entry.ts'
import { type ListFile, readListFiles } from './screening/lists/read-files.ts'
import { createScreening } from './screening/matcher/screening.ts'
import { createCounterparties } from './screening/counterparties/counterparties.ts'
import { clearMatch, readOpenMatches } from './screening/people/matches.ts'
import { createPeopleScreening, type LocalNameOf } from './screening/people/screen-people.ts'
import { areStopped } from './cases/stops.ts'

export { ListFileError, listSources, type ListSource } from './screening/lists/entry.ts'
export { compareWithEntry, type ListedDetails, type OwnDetails } from './screening/comparison/compare-entry.ts'
export { namesOfHolder } from './screening/counterparties/holder-names.ts'
export { holdFrom, reviewFrom } from './screening/names/score.ts'
export { openCase, linkToStops, type NewCase } from './cases/open-case.ts'
export { type Counterparties, type Standing, waitsForCase } from './screening/counterparties/counterparties.ts'
export { areStopped, caseStopsSql, isStoppedByCase, StoppedByCase, requireNotStopped } from './cases/stops.ts'
export { caseVerdicts, objectionVerdicts } from './cases/decide-case.ts'
export { isToldSql } from './cases/checks.ts'
export { checksRoutes } from './cases/checks.routes.ts'
export type { CaseKind, CaseRow, Evidence } from './cases/case-rows.ts'
export { type Cases, createCases } from './cases/cases.ts'
export { listsSentence } from './screening/store/list-gate.ts'
export { createMonitoring, type Judged, type Monitoring } from './monitoring/monitoring.ts'
export { outlineFrom, outlineOfSql, type OutlineRow, outlineSql } from './monitoring/reading.ts'
export {
  createTravelRule,
  type TravelRule,
  type TravelRuleRecord,
  travelRulePurpose,
} from './travel-rule/travel-rule.ts'
export type { ImportResult } from './screening/store/import-list.ts'
export type { FetchResult } from './screening/fetch/fetch-lists.ts'
export type { ListGate } from './screening/store/list-gate.ts'
export type { ListStatus } from './screening/store/list-status.ts'
export type { ListFile } from './screening/lists/read-files.ts'
export type { StoredMatch } from './screening/people/matches.ts'
export type { ScreenedPerson, ScreeningMatch, ScreeningResult } from './screening/matcher/screening.ts'

export interface ComplianceOptions {
  readonly pool: pg.Pool
  readonly now: () => Date
  /** Never logs names or dates. */
  readonly log: { error(details: object, message: string): void }
  /** Blocks verification and payments while a required list is stale. */
  readonly areListsRequired: boolean
  /** Addresses of each list's files; lists without them are imported by hand. */
  readonly listAddresses?: Readonly<Partial<Record<ListSource, readonly string[]>>>
  /** Returns the name in its own script from a person's newest form, which is screened too. */
  readonly localNameOf?: LocalNameOf
}

/** Lists, and the screening of people against them. Cases are in `createCases`. */
export function createCompliance(options: ComplianceOptions) {
  const { pool, now, log, areListsRequired, listAddresses = {}, localNameOf } = options
  const screening = createScreening({ pool })
  const peopleScreening = createPeopleScreening({ pool, screening, now, log, localNameOf })
  const counterparties = createCounterparties({ pool, screening, now, log })
  const lists = createListGate({ pool, now, areRequired: areListsRequired })
  return {
    ...screening,
    ...peopleScreening,
    counterparties,
    lists,
    /** Screens all due users, then their counterparties; returns the count. */
    screenDue: async (): Promise<number> => (await peopleScreening.screenDue()) + (await counterparties.screenDue()),
    /**
     * Screens a person before verification, in its transaction. Returns true when a case stops them, so that an
     * operator must review it first.
     */
    async stopsVerification(tx: Tx, userId: bigint): Promise<boolean> {
      await peopleScreening.screenPerson(tx, userId)
      return areStopped(tx, [userId])
    },
    /** Screens those of these people who are behind the lists in force, in the order of their ids. */
    async screenBehind(tx: Tx, people: readonly bigint[]): Promise<void> {
      const { rows } = await tx.query<{ user_id: bigint }>(
        `select user_id from screening_person where user_id = any($1::bigint[])
            and screened_epoch < (select coalesce(max(number), 0) from screening_epoch) order by user_id`,
        [people],
      )
      for (const { user_id: userId } of rows) await peopleScreening.screenPerson(tx, userId)
    },
    /** Returns a person's uncleared matches, highest score first. */
    openMatches: (userId: bigint) => readOpenMatches(pool, userId),
    /** Records an operator's finding that an entry means another person. Returns false when the match is not open. */
    clear: (matchId: string, operator: string) => clearMatch(pool, matchId, operator, now()),
    /** Fetches and imports the lists that have addresses, or only the named ones; see `fetchLists`. */
    fetchLists: (which?: { sources?: readonly ListSource[]; force?: boolean }): Promise<FetchResult[]> =>
      fetchLists({ pool, now, log, addresses: listAddresses }, which),
    /** Returns lists whose latest fetch failed, with the reason. */
    fetchFailures: () => readFailures(pool),
    /** Returns every source's list and whether it is stale. */
    listStatus: () => readListStatus(pool, now()),
    listsInForce: async () =>
      (await readListStatus(pool, now())).flatMap(({ source, importedAt, checkedAt, entries }) =>
        importedAt && checkedAt ? [{ source, importedAt, checkedAt, entries }] : [],
      ),
    /**
     * Imports all lists in these files; each is imported whole or not at all. Throws ListFileError for damaged or
     * unknown files before any change. `force` accepts a list that shrinks much, is older than the one in force, or
     * lacks its aliases.
     */
    async importLists(files: readonly ListFile[], force = false): Promise<ImportResult[]> {
      const results: ImportResult[] = []
      for (const found of readListFiles(files, force))
        results.push(await importList(pool, found, { now: now(), force }))
      return results
    },
  }
}

export type Compliance = ReturnType<typeof createCompliance>
