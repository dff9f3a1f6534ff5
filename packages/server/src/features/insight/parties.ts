import type { Reply } from '@tern/contract/protocol/endpoint'
import type { insightFlows } from '@tern/contract/insight'
import type { Db } from '../../platform/database/db.ts'
import { wireId } from '../../platform/ids.ts'
import { countryCode, countryForOthersSql, findDeletedName } from '../identity/identity.ts'

export type PartyView = Reply<typeof insightFlows>['balances'][number]['counterparties'][number]['party']

interface PartyRow {
  readonly id: bigint
  readonly username: string
  readonly name: string | null
  readonly country: string | null
}

/** Reads people as their counterparties see them, by id. A payment between them has arrived, so names are whole. */
export async function readPartyViews(db: Db, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, PartyView>> {
  const { rows } = await db.query<PartyRow>(
    `select u.id, u.username, u.name, ${countryForOthersSql('u.id')} as country from app_user u where u.id = any($1)`,
    [[...new Set(ids)]],
  )
  return new Map(
    rows.map(({ id, username, name, country }) => [
      id,
      { id: wireId(id), username, name: name ?? findDeletedName(username) ?? null, country: countryCode(country) },
    ]),
  )
}
